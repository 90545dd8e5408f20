# Markup in the source that a feedback page shows.
#
# /// expect
# double = "failed"
# ///

# %% double
# </pre></details><script>alert(1)</script><img src=x onerror="alert(1)"> {{ 7 * 7 }} <!--
def double(x):
    return """</script><svg onload=alert(1)>"""
