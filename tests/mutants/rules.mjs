// Faults by rule, from the tables and from the code that implements them: nobody picks them, so they follow the code.
//   derivative  each row of pointwise.def: a derivative with the opposite sign, and with its last term left out
//   backward    each gradient that an op's backward returns: opposite sign; each transposition flag of its products: turned
//   edge        the loops of each kernel, on each device, and the lanes that it cuts off: one element too early
// A fault is { file, rule, what, from, to, at }: the text `from` at offset `at` of the file becomes `to`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of `text` between commas at its own level of brackets. */
export function splitArguments(text) {
  const parts = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= text.length; i += 1) {
    const c = text[i];
    if (i === text.length || (c === ',' && depth === 0)) {
      parts.push({ text: text.slice(start, i), at: start });
      start = i + 1;
    } else if ('([{'.includes(c)) depth += 1;
    else if (')]}'.includes(c)) depth -= 1;
  }
  return parts;
}

/** The offset after the bracket that closes the one at `open`. */
export function closing(text, open) {
  let depth = 0;
  for (let i = open; i < text.length; i += 1) {
    if ('([{'.includes(text[i])) depth += 1;
    if (')]}'.includes(text[i])) depth -= 1;
    if (depth === 0) return i + 1;
  }
  throw new Error(`a bracket is not closed: ${text.slice(open, open + 60)}`);
}

/** Without the leading and trailing blanks, with where it starts. */
function trimmed({ text, at }) {
  const lead = text.length - text.trimStart().length;
  return { text: text.trim(), at: at + lead };
}

/** Offsets of + and - between terms of a sum, at its own level of brackets. */
function termBreaks(text) {
  const breaks = [];
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    if ('(['.includes(text[i])) depth += 1;
    if (')]'.includes(text[i])) depth -= 1;
    const between = /[\w)\]]\s*$/.test(text.slice(0, i)) && !/\d[eE]$/.test(text.slice(0, i));
    if (depth === 0 && '+-'.includes(text[i]) && between) breaks.push(i);
  }
  return breaks;
}

/** The same, inside the largest bracket that has a sum: dy * (a + b) has its terms there. */
function lastTerm(expression) {
  const own = termBreaks(expression);
  if (own.length > 0) return { at: own.at(-1), end: expression.length };
  let best = null;
  for (let i = 0; i < expression.length; i += 1) {
    if (expression[i] !== '(') continue;
    const end = closing(expression, i) - 1;
    const inner = expression.slice(i + 1, end);
    const breaks = splitArguments(inner).length === 1 ? termBreaks(inner) : [];
    if (breaks.length > 0 && (best === null || end - i > best.end - best.open)) {
      best = { open: i, at: i + 1 + breaks.at(-1), end };
    }
  }
  return best;
}

function derivatives(file, text) {
  const faults = [];
  for (const row of text.matchAll(/^(UNARY|BINARY)\(/gm)) {
    const open = row.index + row[0].length - 1;
    const inside = text.slice(open + 1, closing(text, open) - 1);
    const [name, , ...rest] = splitArguments(inside).map(trimmed);
    rest.forEach((part, k) => {
      if (/^(0|0\.0f|(x|a|b|dy|dc) \* 0(\.0f)?|zeros\(d[yc]\))$/.test(part.text)) return;
      const at = open + 1 + part.at;
      const what = `${name.text}, derivative ${k + 1}`;
      faults.push({
        file,
        rule: 'derivative',
        what: `${what}: sign`,
        at,
        from: part.text,
        to: `-(${part.text})`,
      });
      const term = lastTerm(part.text);
      if (term !== null) {
        const to = part.text.slice(0, term.at).trimEnd() + part.text.slice(term.end);
        faults.push({
          file,
          rule: 'derivative',
          what: `${what}: last term`,
          at,
          from: part.text,
          to,
        });
      }
    });
  }
  return faults;
}

/** A gradient, if there is one, with the opposite sign. */
const NEGATED = '[](const Tensor& g) { return g.defined() ? neg(g) : g; }';

/** The gradients that the `return {...}` statements of a backward list, and the flags of its products. */
function backwards(file, text) {
  const faults = [];
  for (const found of text.matchAll(/-> Grads \{/g)) {
    const open = found.index + found[0].length - 1;
    const body = text.slice(open, closing(text, open));
    const line = () => text.slice(0, open).split('\n').length;
    for (const given of body.matchAll(/return \{/g)) {
      const from = given.index + given[0].length - 1;
      const inside = body.slice(from + 1, closing(body, from) - 1);
      for (const one of splitArguments(inside).map(trimmed)) {
        if (one.text === '' || one.text === 'Tensor()' || one.text === '{}') continue;
        const at = open + from + 1 + one.at;
        const what = `backward at line ${line()}: sign of ${one.text.replace(/\s+/g, ' ').slice(0, 40)}`;
        faults.push({
          file,
          rule: 'backward',
          what,
          at,
          from: one.text,
          to: `${NEGATED}(${one.text})`,
        });
      }
    }
    for (const product of body.matchAll(/\bmatmul\(/g)) {
      const bracket = product.index + product[0].length - 1;
      const inside = body.slice(bracket + 1, closing(body, bracket) - 1);
      splitArguments(inside)
        .map(trimmed)
        .slice(2)
        .forEach((flag, k) => {
          const at = open + bracket + 1 + flag.at;
          const what = `backward at line ${line()}: transposition ${k + 1} of a product`;
          faults.push({ file, rule: 'backward', what, at, from: flag.text, to: `!(${flag.text})` });
        });
    }
  }
  return faults;
}

/** Ends of loops and of lanes, one element early. */
const EDGES = [
  [/(\bfor \([^;]*; (?:\w+(?:\.\w+)?) < )([\w.]+)(?=; )/g, (end) => `${end} - 1`],
  [/(\beach_four\()(\w+)(?=, )/g, (end) => `${end} - 1`],
  [/(\bfirst_lanes\([^;]*, )([\w. -]+)(?=\))/g, (count) => `${count} - 1`],
];

/** The first `most` edges of a file. */
function edges(file, text, most) {
  const faults = EDGES.flatMap(([pattern, early]) =>
    [...text.matchAll(pattern)].flatMap((found) => {
      const [whole, before, edge] = found;
      if (/^\d+$|\bfloat\b|\bint\b|_t\b/.test(edge)) return [];
      const at = found.index + before.length;
      const line = text.slice(0, at).split('\n').length;
      const what = `line ${line}: ${whole.slice(-40).trim()}`;
      return [{ file, rule: 'edge', what, at, from: edge, to: `(${early(edge)})` }];
    }),
  );
  return faults.slice(0, most);
}

/** Every fault of the tree below `root`, in an order that depends on the tree alone. */
export function faults(root) {
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const list = (folder, ending) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => `${folder}/${name}`);
  const table = 'wasm/ops/pointwise.def';
  return [
    ...derivatives(table, read(table)),
    ...list('wasm/ops', '.cpp').flatMap((file) => backwards(file, read(file))),
    ...list('wasm/cpu', '.cpp').flatMap((file) => edges(file, read(file), Infinity)),
    ...list('shaders', '.frag').flatMap((file) => edges(file, read(file), 2)),
  ];
}
