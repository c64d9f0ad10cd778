// Small tables whose answer is known, so that a test needs no file and a model learns them in a moment.

/** Numbers from 0 to 1, the same each time. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** size,shade,leaf,kind: the kind follows from size and leaf; every seventeenth shade is missing. */
export function flowers(rows, { answers = true, leaf = ['round', 'long'] } = {}) {
  const next = numbers(rows);
  const lines = [answers ? 'size,shade,leaf,kind' : 'size,shade,leaf'];
  for (let row = 0; row < rows; row += 1) {
    const size = 10 * next();
    const shape = leaf[row % leaf.length];
    const kind = size > 6 ? 'tall' : shape === 'round' ? 'dwarf' : 'creeper';
    const shade = row % 17 === 3 ? '' : next().toFixed(3);
    lines.push([size.toFixed(3), shade, shape, ...(answers ? [kind] : [])].join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** a,b,c,place,y: a straight line through four columns, of which noise hides a tenth. */
export function noisyLine(rows) {
  const next = numbers(rows + 2);
  const bell = () => Array.from({ length: 12 }, next).reduce((sum, one) => sum + one, -6);
  const lines = ['a,b,c,place,y'];
  for (let row = 0; row < rows; row += 1) {
    const [a, b, c] = [100 * next(), bell(), 5 * next()];
    const town = next() < 0.5;
    const y = 100 + 0.6 * a + 8 * b - 6 * c + (town ? 10 : 0) + 7 * bell();
    const fields = [a.toFixed(3), b.toFixed(4), c.toFixed(3), town ? 'town' : 'village'];
    lines.push([...fields, y.toFixed(3)].join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** area,rooms,place,price: the price follows from the others, with a little noise. */
export function houses(rows, { answers = true } = {}) {
  const next = numbers(rows + 1);
  const lines = [answers ? 'area,rooms,place,price' : 'area,rooms,place'];
  for (let row = 0; row < rows; row += 1) {
    const area = 30 + 120 * next();
    const rooms = 1 + Math.floor(5 * next());
    const place = ['town', 'village'][row % 2];
    const price = 2 * area + 10 * rooms + (place === 'town' ? 80 : 0) + 4 * next();
    const fields = [area.toFixed(1), rooms, place, ...(answers ? [price.toFixed(2)] : [])];
    lines.push(fields.join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** m0, m1, ... and price: the price follows from some of the others. */
export function wideTable(rows, columns) {
  const next = numbers(rows + columns);
  const names = Array.from({ length: columns - 1 }, (_, i) => `m${i}`);
  const lines = [[...names, 'price'].join(',')];
  for (let row = 0; row < rows; row += 1) {
    const fields = names.map(() => (next() - 0.5).toFixed(3));
    const price = 100 + 50 * Number(fields[3]) - 20 * Number(fields[columns - 2]);
    lines.push([...fields, price.toFixed(3)].join(','));
  }
  return `${lines.join('\n')}\n`;
}
