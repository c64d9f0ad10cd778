// @vitest-environment happy-dom
// "Search for better settings" in the set-up, the search while it goes on and at its end, and its runs among the others.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Command } from '../../../extension/src/messages/commands.ts';
import { configOf } from '../../../extension/src/messages/search.ts';
import type { RunState } from '../../../extension/src/messages/state.ts';
import { Checkpoints } from '../../../extension/src/ui/checkpoints.ts';
import { defaultChoices } from '../../../extension/src/ui/choices.ts';
import { SearchCard } from '../../../extension/src/ui/search_card.ts';
import { rangesFor } from '../../../extension/src/ui/search_fields.ts';
import { Settings } from '../../../extension/src/ui/settings.ts';
import { announcement, phaseOf } from '../../../extension/src/ui/run_view.ts';
import { settings } from '../settings.ts';
import { Bench } from './bench.ts';
import { all, button, choose, input, one, select, settle, type } from './recorder.ts';
import { searchOf, searchState } from './searched.ts';
import { description, stateOf } from './states.ts';
import { measured, triedState } from './tried.ts';

let bench: Bench;
beforeEach(() => {
  localStorage.clear();
  bench = new Bench();
});

const started = (): Extract<Command, { type: 'search.start' }> =>
  bench.actions.of('search.start').at(-1)!;
const fields = (): string[] => all('search-field').map(({ dataset }) => dataset['field']!);

describe('what is varied', () => {
  const models = stateOf('ready').models;
  const choices = defaultChoices(description(), models);
  const known = new Settings(settings);
  const lstm = models[0]!;
  const field = (name: string): (typeof lstm.fields)[number] =>
    lstm.fields.find((other) => other.name === name)!;

  it('is found in what the model declares', () => {
    const named = (names: string[]): string[] =>
      rangesFor(choices, { ...lstm, fields: names.map(field) }, known).map((range) => range.field);
    expect(named(['hidden', 'layers', 'dropout'])).toEqual(['learningRate', 'hidden', 'dropout']);
    expect(named(['layers', 'dropout'])).toEqual(['learningRate', 'dropout']);
    expect(named(['layers'])).toEqual(['learningRate']);
  });

  it('lies around the values of the form: ten times, powers of two, and a short list', () => {
    const other = { ...choices, fields: { hidden: 48, dropout: 0 }, given: { learningRate: 0.02 } };
    expect(rangesFor(other, lstm, known)).toMatchObject([
      { kind: 'log', now: 0.02, least: 0.002, most: 0.2 },
      { kind: 'list', now: 48, values: [16, 32, 64, 128] },
      { kind: 'list', now: 0, values: [0, 0.1, 0.2, 0.3, 0.5] },
    ]);
  });

  it('keeps the limits of the declaration', () => {
    const narrow = [
      { ...field('hidden'), min: 20, max: 40 },
      { ...field('dropout'), max: 0.15 },
    ];
    const rate = { given: { learningRate: 5 } };
    const found = rangesFor({ ...choices, ...rate }, { ...lstm, fields: narrow }, known);
    // A size with one value that is allowed is none to choose from.
    expect(found).toMatchObject([
      { field: 'learningRate', least: 0.5, most: 10 },
      { field: 'dropout', values: [0, 0.1] },
    ]);
  });
});

describe('the set-up of a search', () => {
  it('begins one of all fields with nine candidates, as the form is set', () => {
    bench.show(stateOf('ready'));
    expect(fields()).toEqual(['learningRate', 'hidden', 'dropout']);
    type(input('epochs'), '12');
    button('search-start').click();
    expect(started().trials).toBe(9);
    expect(started().config.training['epochs']).toBe(12);
    expect(started().config.model['hidden']).toBe(32);
    expect(started().ranges.map(({ label, now }) => [label, now])).toEqual([
      ['Learning rate', 0.003],
      ['Hidden', 32],
      ['Dropout', 0],
    ]);
  });

  it('leaves out what is not ticked, and needs something to vary', () => {
    bench.show(stateOf('ready'));
    choose(select('search-trials'), '3');
    all<HTMLInputElement>('search-field')[1]!.click();
    button('search-start').click();
    expect(started().trials).toBe(3);
    expect(started().ranges.map(({ field }) => field)).toEqual(['learningRate', 'dropout']);
    for (const i of [0, 2]) all<HTMLInputElement>('search-field')[i]!.click();
    expect(button('search-start').disabled).toBe(true);
    expect(one('search-cost').textContent).toBe('Choose at least one thing to vary.');
  });

  it('says what it takes: epochs, how many runs those are, and the time once that is measured', () => {
    bench.show(stateOf('ready'));
    // 9 candidates of 20 epochs: 9 for 3, 3 for 7 and 1 for 20.
    const words = '52 epochs in all, as many as 2.6 of the runs above.';
    type(input('epochs'), '20');
    expect(one('search-cost').textContent).toBe(words);
    bench.open();
    localStorage.clear();
    bench.show(triedState(stateOf('ready'), { measured: { ...measured, secondsPerEpoch: 2 } }));
    const epochs = Number(input('epochs').value);
    expect(epochs).toBeGreaterThan(0);
    expect(one('search-cost').textContent).toMatch(
      / About \w+( \w+)?, if each epoch takes what was measured; larger candidates take longer/,
    );
  });

  it('begins nothing while something stands against the run', () => {
    bench.show(stateOf('ready'));
    type(input('epochs'), '0');
    expect(button('search-start').disabled).toBe(true);
    expect(one('search-cost').hidden).toBe(true);
  });

  it('is a way to the dashboard in the popup', () => {
    let went = 0;
    bench.open(null, () => (went += 1));
    bench.show(stateOf('ready'));
    expect(all('search-start')).toEqual([]);
    button('search-elsewhere').click();
    expect(went).toBe(1);
  });
});

describe('a search that goes on', () => {
  it('says the round, what is trained and the best so far, and can be stopped', () => {
    bench.show(searchState('running', 'training'));
    expect(bench.stage.body.dataset['screen']).toBe('search');
    expect(one('search-title').textContent).toBe('Searching for better settings');
    expect(one('search-rung').textContent).toBe(
      'Round 2 of 3, up to epoch 7: 1 of 3 candidates are done.',
    );
    expect(one('search-now').textContent).toBe('Being trained: Learning rate 0.012, Hidden 64');
    expect(one('search-best').textContent).toBe(
      'Best so far: Learning rate 0.012, Hidden 64. Smallest validation loss 0.1217.',
    );
    const { value } = one('search-progress') as HTMLProgressElement;
    expect(value).toBeGreaterThan(27 / 52);
    expect(value).toBeLessThan(39 / 52);
    button('search-stop').click();
    expect(bench.actions.commands).toEqual([{ type: 'search.stop' }]);
  });

  it('stays one thing while one candidate has ended and the next has not begun', () => {
    const between = searchState('running', 'finished');
    bench.show(between);
    expect(bench.stage.body.dataset['screen']).toBe('search');
    expect(phaseOf(between)).toEqual({ text: 'Searching', tone: 'active' });
    expect(announcement(between)).toBe('Search: round 2 of 3, 1 of 3 candidates are done.');
    expect(bench.actions.of('evaluation.get')).toEqual([]);
  });
});

describe('a search that has ended', () => {
  it('stands over the result of its best run, and its settings go into the form', async () => {
    bench.actions.answers['config.offer'] = {};
    const state = searchState('completed', 'finished');
    bench.show(state);
    expect(bench.stage.body.dataset['screen']).toBe('result');
    expect(one('search-rung').textContent).toBe('9 candidates were tried. 1 of them failed.');
    expect(one('search-best').textContent).toBe(
      'Best: Learning rate 0.012, Hidden 64. Smallest validation loss 0.1217.',
    );
    button('search-use').click();
    await settle();
    const { config } = bench.actions.of('config.offer')[0]!;
    expect(config).toEqual(configOf(state.search!, 1));
    bench.show({ ...state, offered: config });
    expect(bench.stage.body.dataset['screen']).toBe('setup');
    expect(input('learning-rate').value).toBe('0.012');
    expect(all<HTMLInputElement>('search-title')[0]?.closest('section')?.hidden).toBe(true);
    button('train').click();
    const [{ config: trained } = { config: null }] = bench.actions.of('run.start');
    expect(trained?.model['hidden']).toBe(64);
    expect(trained?.training['learningRate']).toBe(0.012);
    // All epochs, which are the core's own number.
    expect(input('epochs').value).toBe('20');
    expect(trained?.training).not.toHaveProperty('epochs');
  });

  it('says whose figures follow where those are not of the best', () => {
    bench.show(searchState('completed', 'finished', { run: 'lstm-6' }));
    expect(document.body.textContent).toContain(
      'What follows is of the candidate that was trained last: Learning rate 0.0075, Hidden 32.',
    );
  });

  it.each(['interrupted', 'stopped'] as const)(
    'as %s is offered to go on, or put away',
    (outcome) => {
      bench.show(searchState(outcome, 'empty', { run: null }));
      expect(bench.stage.body.dataset['screen']).toBe('pick');
      expect(one('search-now').textContent).toBe('Data: seattle-weather.csv');
      button('search-continue').click();
      button('search-forget').click();
      expect(bench.actions.commands.slice(-2)).toEqual([
        { type: 'search.continue' },
        { type: 'search.forget' },
      ]);
      bench.show(stateOf('ready'));
      expect(one('search-title').closest('section')?.hidden).toBe(true);
    },
  );

  it("does not stand over a person's own run", () => {
    bench.show(searchState('completed', 'finished', { candidate: false }));
    expect(one('search-title').closest('section')?.hidden).toBe(true);
  });
});

describe("the dashboard's card", () => {
  const card = new SearchCard();
  const rows = (): string[][] =>
    [...card.element.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map((cell) => cell.textContent),
    );

  it('lists the candidates with their settings, the smallest loss first and failed ones last', () => {
    card.update(stateOf('ready'));
    expect(card.element.hidden).toBe(true);
    card.update(searchState('completed', 'finished'));
    expect(card.element.hidden).toBe(false);
    expect(rows()[0]).toEqual(['2', 'done', '0.012', '64', '0.1217', '20']);
    const losses = rows().map((row) => row[4]);
    expect(losses.slice(0, -1)).toEqual([...losses.slice(0, -1)].sort());
    expect(rows().at(-1)).toEqual(['4', 'failed', '0.028', '64', '–', '1']);
    expect(card.element.textContent).toContain('Candidate 4: The loss is not a number at step 41.');
    expect(card.element.textContent).toContain('#search-1a2b3c4d');
  });

  it('keeps its table while nothing of it changes', () => {
    card.update(searchState('running', 'training'));
    const table = card.element.querySelector('table');
    card.update(searchState('running', 'training'));
    expect(card.element.querySelector('table')).toBe(table);
  });
});

describe('the runs of a search', () => {
  const { tag } = searchOf('completed');
  const names = ['lstm-1', 'lstm-2', 'gru-1'];
  const state = (): RunState => {
    const entry = stateOf('finished').checkpoints[0]!;
    return stateOf('finished', {
      checkpoints: names.map((run) => ({ ...entry, id: `${run}/auto-1.safetensors` })),
      runs: names.map((run, i) => ({
        store: 'host' as const,
        run,
        name: run,
        note: i < 2 ? tag : '',
        reason: null,
      })),
    });
  };

  it('are removed together, after a second word, and no others', async () => {
    const list = new Checkpoints(bench.actions);
    document.body.replaceChildren(list.element);
    bench.actions.answers['run.remove'] = {};
    list.update(state(), new Set());
    expect(one('tag-remove').closest('div')?.hidden).toBe(true);
    choose(select('run-tag'), tag);
    button('tag-remove').click();
    expect(bench.actions.commands).toEqual([]);
    expect(one('tag-confirm').textContent).toBe('Remove 2 runs for good');
    button('tag-confirm').click();
    await settle();
    expect(bench.actions.commands).toEqual([
      { type: 'run.remove', store: 'host', run: 'lstm-1' },
      { type: 'run.remove', store: 'host', run: 'lstm-2' },
    ]);
  });

  it('are asked about anew when another tag is chosen', () => {
    const list = new Checkpoints(bench.actions);
    document.body.replaceChildren(list.element);
    list.update(state(), new Set());
    choose(select('run-tag'), tag);
    button('tag-remove').click();
    choose(select('run-tag'), '');
    expect(one('tag-confirm').closest('div')?.hidden).toBe(true);
    expect(one('tag-remove').closest('div')?.hidden).toBe(true);
    choose(select('run-tag'), tag);
    expect(one('tag-confirm').closest('div')?.hidden).toBe(true);
  });
});
