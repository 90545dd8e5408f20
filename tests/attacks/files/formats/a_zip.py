# A zip file that unpacks to gigabytes, under the name of a notebook: nothing is unpacked.
#
# /// expect
# status = "invalid"
# every = "missing"
# notes = ["not"]
# ///


def hand_in(notebook, path):
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(path.name, bytes(20_000_000))
    path.write_bytes(packed.getvalue())
