// What a person could not reach or read in a page.

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

/**
 * Runs in the page: texts of which a part is not shown, because their frame hides what is beyond it or they stick out of
 * it. A name of the data may be cut where its `title` has all of it.
 */
export function cutTexts() {
  const hides = (overflow) => overflow === 'hidden' || overflow === 'clip';
  const isShown = (element) =>
    element.checkVisibility() && element.closest('.visually-hidden, .uplot') === null;
  const isTitled = (element) => element.title !== '' || (element.parentElement?.title ?? '') !== '';
  const isHidden = (element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    return (
      (hides(overflowX) && element.scrollWidth > element.clientWidth + 1) ||
      (hides(overflowY) && element.scrollHeight > element.clientHeight + 1)
    );
  };
  const sticksOut = (element) => {
    if (getComputedStyle(element).display.startsWith('inline') && element.tagName !== 'BUTTON')
      return false;
    const { left, right } = element.getBoundingClientRect();
    return [...element.childNodes].some((node) => {
      if (node.nodeType !== 3 || node.data.trim() === '') return false;
      const range = document.createRange();
      range.selectNodeContents(node);
      const text = range.getBoundingClientRect();
      return text.right > right + 1 || text.left < left - 1;
    });
  };
  /** The chosen option alone decides how wide a copy would be. */
  const isNarrow = (select) => {
    const chosen = select.selectedOptions[0];
    if (chosen === undefined) return false;
    const copy = document.createElement('select');
    copy.append(chosen.cloneNode(true));
    Object.assign(copy.style, { position: 'absolute', width: 'max-content' });
    select.after(copy);
    const narrow = copy.offsetWidth > select.offsetWidth + 1;
    copy.remove();
    return narrow;
  };
  const isCut = (element) =>
    element.tagName === 'SELECT' ? isNarrow(element) : isHidden(element) || sticksOut(element);
  return [...document.body.querySelectorAll('*')]
    .filter((element) => isShown(element) && element.textContent.trim() !== '')
    .filter((element) => !isTitled(element) && isCut(element))
    .map((element) => {
      const text = element.tagName === 'SELECT' ? element.selectedOptions[0] : element;
      return `${element.tagName} ${element.className} ${text.textContent.slice(0, 60)}`;
    });
}
