// Small series with a known shape, so that tests need no file and a run lasts a moment.

/** `rows` days with a weekly wave and a slow one: date,value,other. `change(row, fields)` may spoil a row. */
export function series(rows, change = (_, fields) => fields) {
  const lines = ['date,value,other'];
  for (let row = 0; row < rows; row += 1) {
    const date = new Date(Date.UTC(2020, 0, 1 + row)).toISOString().slice(0, 10);
    const value = 10 + 3 * Math.sin((2 * Math.PI * row) / 7) + Math.sin(row / 40);
    const other = Math.cos((2 * Math.PI * row) / 7);
    lines.push(change(row, [date, value.toFixed(4), other.toFixed(4)]).join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** Three columns of waves with noise: no window is like another, so that each counts for itself in a mean loss. */
export function noisySeries(rows) {
  let seed = 1;
  const noise = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32 - 0.5;
  };
  const lines = ['value,other,third'];
  for (let row = 0; row < rows; row += 1) {
    const fields = [5 + 2 * Math.sin(row / 4), Math.cos(row / 9), 3 * Math.sin(row / 31)];
    lines.push(fields.map((value) => (value + noise()).toFixed(4)).join(','));
  }
  return `${lines.join('\n')}\n`;
}

/** A series of at least so many bytes. */
export function largeSeries(bytes) {
  const block = series(2000);
  const rows = block.slice(block.indexOf('\n') + 1);
  return 'date,value,other\n' + rows.repeat(Math.ceil(bytes / rows.length));
}
