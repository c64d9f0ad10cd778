// What a person could not reach in a page.

/** Runs in the page: elements that lie beyond the window's edge, where no frame around them scrolls. */
export function beyondTheEdge() {
  const edge = document.documentElement.clientWidth;
  const scrolls = (element) => getComputedStyle(element).overflowX !== 'visible';
  const isReached = (element) => {
    for (let above = element.parentElement; above !== null; above = above.parentElement)
      if (above !== document.body && above.tagName !== 'MAIN' && scrolls(above)) return true;
    return false;
  };
  return [...document.body.querySelectorAll('*')]
    .filter((element) => element.closest('.visually-hidden') === null && !isReached(element))
    .filter((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (right > edge + 1 || left < -1);
    })
    .map(
      (element) => `${element.tagName} ${element.className} ${element.textContent.slice(0, 40)}`,
    );
}
