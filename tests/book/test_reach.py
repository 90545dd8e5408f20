"""What a mouse can do in a chapter, the keyboard can."""


def test_do_arrow_keys_lead_through_the_buttons_that_copy_code(opened):
    page = opened("02-softmax").page
    page.get_by_role("button", name="Build", exact=True).click()
    buttons = [button for button in page.locator("main .copybtn").all() if button.is_visible()]
    assert len(buttons) > 10
    assert [button.get_attribute("tabindex") for button in buttons] == ["0"] + ["-1"] * (
        len(buttons) - 1
    )
    buttons[0].focus()
    for key, place in [("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1)]:
        page.keyboard.press(key)
        focused = "button => button === document.activeElement"
        assert buttons[place].evaluate(focused)
        assert buttons[place].get_attribute("tabindex") == "0"
    page.wait_for_function(
        "button => getComputedStyle(button).opacity === '1'", arg=buttons[1].element_handle()
    )
    page.keyboard.press("Enter")
    page.locator(".copybtn.success").wait_for()
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.matches('.copybtn')")
