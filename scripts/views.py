"""The views that turn, in a page that is open: is one drawn, does it turn when it is dragged, does its slider of kappa change it?"""

from pixels import changed, drawn

ALL = "document.querySelectorAll('.swlab-sphere, .swlab-slice, .swlab-flow')"
COUNT = f"{ALL}.length"
FRAMES = "new Promise(then => requestAnimationFrame(() => requestAnimationFrame(() => then())))"

LINES = 0.98  # share of the ground that a drawing of a few points and lines may have
STILL = 0.01  # share of the pixels that may differ where nothing has moved


def look(browser, element):
    """What the window shows of an element as PNG, at half size, which is enough to compare."""
    x, y, width, height = map(round, browser.box(element))
    left, top = map(round, browser.evaluate("[window.scrollX, window.scrollY]"))
    return browser.screenshot(x=x + left, y=y + top, width=width, height=height, scale=0.5)


def turn(browser, number=0):
    """What is wrong with the view of that number in the page, by the pixels that a reader sees."""
    root = f"{ALL}[{number}]"
    canvas = f"{root}.querySelector('canvas')"
    if not browser.evaluate(f"!!{canvas}"):
        return ["the view is not drawn"]
    ground = {"ground": LINES} if browser.evaluate(f"{root}.matches('.swlab-slice')") else {}
    first = look(browser, canvas)
    if not drawn(first, **ground):
        return ["the view is blank"]
    wrong = []
    second = look(browser, canvas)
    if changed(first, second) > STILL:
        wrong.append("the view turns by itself")
    x, y, width, height = browser.box(canvas)
    browser.drag((x + 0.45 * width, y + 0.5 * height), (x + 0.55 * width, y + 0.6 * height))
    browser.evaluate(FRAMES)
    third = look(browser, canvas)
    if changed(second, third) <= STILL or not drawn(third, **ground):
        wrong.append("the view does not turn when it is dragged")
    slider = f"{root}.querySelector('label input[type=range]')"
    if browser.evaluate(f"!!({slider} && {slider}.offsetParent)"):
        x, y, width, height = browser.box(slider)
        browser.click(x + 0.9 * width, y + 0.5 * height)
        browser.evaluate(FRAMES)
        if changed(third, look(browser, canvas)) <= STILL:
            wrong.append("the slider of kappa does not change the view")
    return wrong
