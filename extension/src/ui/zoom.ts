// The part of the x axis that a chart shows: all of it, which then grows with the data, or a range that the person has
// chosen by dragging, by keys, or leaves by a button.

export type Range = readonly [number, number];

/** The range after a key, or undefined for a key that means nothing here; null is the whole. */
export function rangeAfter(key: string, shown: Range, whole: Range): Range | null | undefined {
  const [low, high] = shown;
  const size = high - low;
  const middle = (low + high) / 2;
  switch (key) {
    case '+':
    case '=':
      return within([middle - size / 4, middle + size / 4], whole);
    case '-':
      return size * 2 >= whole[1] - whole[0] ? null : within([middle - size, middle + size], whole);
    case 'ArrowLeft':
      return within([low - size / 4, high - size / 4], whole);
    case 'ArrowRight':
      return within([low + size / 4, high + size / 4], whole);
    case '0':
    case 'Escape':
      return null;
    default:
      return undefined;
  }
}

/** As wide, moved until it lies inside the whole. */
function within([low, high]: Range, [first, last]: Range): Range {
  const move = Math.max(0, first - low) - Math.max(0, high - last);
  return [Math.max(first, low + move), Math.min(last, high + move)];
}
