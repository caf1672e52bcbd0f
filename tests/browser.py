"""A headless Chromium for the tests of pages: one that fails on any error or outside request."""

import atexit
import os
import shutil
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

# Seconds until a test is taken to hang: no machine is so loaded that this is mere slowness.
HANG = 600

ARTEFACTS = Path(os.environ.get("CELLAPSE_ARTEFACTS", "build/screenshots"))

# Proteins need WebGL, which a machine without a graphics card draws in software; the rest of a page
# does not (that is what `-webgl` says): all of it in that software takes three times as long.
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader-webgl", "--enable-unsafe-swiftshader"]
# What that software says of its own speed is no error of the page.
SPEED = "GL Driver Message (OpenGL, Performance"


def chromium():
    """Where Chromium is, or a skip that says what is missing."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make test")
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.skip("no Chromium here, so no page was opened; on Debian: apt-get install chromium")


@cache
def launched():
    """One browser for all tests of a process: starting it takes longer than most tests."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    play = sync_playwright().start()
    browser = play.chromium.launch(executable_path=path, args=ARGUMENTS)
    atexit.register(play.stop)
    atexit.register(browser.close)
    return browser


@contextmanager
def opened(address, width=1200, scheme="light"):
    """A page at an address; afterwards no error was logged and nothing else was asked for."""
    context = launched().new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    try:
        context.set_default_timeout(1000 * HANG)
        page = context.new_page()
        errors, outside = [], []
        page.on("console", lambda m: errors.append(m.text) if complains(m) else None)
        page.on("pageerror", lambda e: errors.append(str(e)))
        page.on("request", lambda r: None if r.url.startswith(address) else outside.append(r.url))
        page.goto(address)
        yield page
        settled(page)
        assert not errors, errors
        assert not outside, outside
    finally:
        context.close()


def complains(message):
    """Whether a message of the console is about a fault of the page."""
    return message.type != "log" and SPEED not in message.text


def settled(page):
    """Let the page do what is waiting, and what follows from that."""
    page.evaluate("() => new Promise(go => setTimeout(() => setTimeout(go)))")


def until(page, condition):
    """Let the page work until a condition is met; how long that takes is the machine's affair."""
    for _ in range(60 * HANG):  # turns
        if condition():
            return
        settled(page)
    raise AssertionError("the page hangs")


def keep(page, name):
    """A screenshot of the whole page as an artefact."""
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=True)
    return ARTEFACTS / f"{name}.png"
