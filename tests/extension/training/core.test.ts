import { describe, expect, test } from 'vitest';
import { loadCore, WasmCore } from '../../../extension/src/training/core.ts';
import type { CoreModule } from '../../../extension/src/training/core.ts';

/** A module with a heap and texts, of which a test replaces single calls. */
function fakeModule(change: (reply: (value: unknown) => number) => Partial<CoreModule>) {
  const heap = new Uint8Array(4096);
  const texts: string[] = [];
  let free = 0;
  let top = 16;
  const reply = (value: unknown): number =>
    texts.push(typeof value === 'string' ? value : JSON.stringify(value)) - 1;
  const module = {
    HEAPU8: heap,
    UTF8ToString: (pointer: number) => texts[pointer]!,
    stringToUTF8: (text: string, pointer: number) => {
      heap.set(new TextEncoder().encode(`${text}\0`), pointer);
    },
    lengthBytesUTF8: (text: string) => Buffer.byteLength(text),
    _sg_alloc: (bytes: number) => {
      top += bytes;
      return top - bytes;
    },
    _sg_free: () => {
      free += 1;
    },
    ...change(reply),
  } as unknown as CoreModule;
  return { core: new WasmCore(module), heap, freed: () => free };
}

describe('calls of the core', () => {
  test('bytes and texts are put on the heap and freed', () => {
    let fed: number[] = [];
    const { core, heap, freed } = fakeModule((reply) => ({
      _sg_dataset_open: (json) => {
        const end = heap.indexOf(0, json);
        const options = JSON.parse(new TextDecoder().decode(heap.subarray(json, end))) as unknown;
        expect(options).toEqual({ name: 'ä.csv' });
        return reply({ ok: true, dataset: 3 });
      },
      _sg_dataset_feed: (_, pointer, length) => {
        fed = [...heap.subarray(pointer, pointer + length)];
        return reply({ ok: true, rows: 1 });
      },
    }));
    expect(core.datasetOpen({ name: 'ä.csv' })).toBe(3);
    expect(core.datasetFeed(3, Uint8Array.from([1, 2]))).toBe(1);
    expect(fed).toEqual([1, 2]);
    expect(freed()).toBe(2);
  });

  test('with threads bytes go where the memory has grown to, and come from there', () => {
    const wasmMemory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
    const HEAPU8 = new Uint8Array(wasmMemory.buffer);
    let fed: number[] = [];
    const bytes = (pointer: number, length: number): Uint8Array =>
      new Uint8Array(wasmMemory.buffer, pointer, length);
    const { core } = fakeModule((reply) => ({
      HEAPU8,
      wasmMemory,
      _sg_alloc: () => {
        wasmMemory.grow(1);
        return 65_536;
      },
      _sg_dataset_feed: (_, pointer, length) => {
        fed = [...bytes(pointer, length)];
        return reply({ ok: true, rows: 1 });
      },
    }));
    core.datasetFeed(3, Uint8Array.from([1, 2]));
    expect(fed).toEqual([1, 2]);
    expect(HEAPU8.length).toBe(65_536);
  });

  test('a refusal becomes an error with the core’s code and sentence, and frees', () => {
    const { core, freed } = fakeModule((reply) => ({
      _sg_dataset_open: () =>
        reply({
          ok: false,
          code: 'csv.bad_option',
          message: 'delimiter is ...',
        }),
    }));
    expect(() => core.datasetOpen({ name: 'x' })).toThrow(
      expect.objectContaining({
        code: 'csv.bad_option',
        message: 'delimiter is ...',
      }),
    );
    expect(freed()).toBe(1);
  });

  test.each([
    ['no JSON', 'oops', /not a JSON object/],
    ['a list', [], /not a JSON object/],
    ['a reply with holes', { ok: true }, /sg_dataset_open\.dataset must be a whole number/],
  ])('%s is named', (_, value, message) => {
    const { core } = fakeModule((reply) => ({
      _sg_dataset_open: () => reply(value),
    }));
    expect(() => core.datasetOpen({ name: 'x' })).toThrow(message);
  });

  test('a trap says where it was', () => {
    const { core } = fakeModule(() => ({
      _sg_session_step: () => {
        throw new WebAssembly.RuntimeError('unreachable');
      },
    }));
    expect(() => core.sessionStep(1, 1)).toThrow(
      expect.objectContaining({
        code: 'core.crashed',
        message: expect.stringMatching(/sg_session_step: unreachable/),
      }),
    );
  });

  test('exhausted memory is named with the size', () => {
    const { core } = fakeModule(() => ({ _sg_alloc: () => 0 }));
    expect(() => core.datasetFeed(1, new Uint8Array(100))).toThrow(/no 100 bytes of memory/);
  });

  test('a checkpoint is a copy', () => {
    const { core, heap } = fakeModule((reply) => ({
      _sg_session_checkpoint: () => reply({ ok: true, pointer: 100, length: 2 }),
    }));
    heap.set([7, 8], 100);
    const bytes = core.sessionCheckpoint(1, null);
    heap.fill(0);
    expect([...bytes]).toEqual([7, 8]);
  });

  test('a data set’s description becomes what pages show', () => {
    const column = {
      name: 'date',
      type: 'datetime',
      count: 2,
      missing: 0,
      first: 0,
      last: 90_000,
      stepSeconds: 1,
    };
    const repair = { line: 3, column: 1, kind: 'blank_line', text: 'left out' };
    const description = {
      rows: 2,
      columns: [column],
      preview: [['a']],
      repairs: { total: 9, first: [repair] },
    };
    const { core } = fakeModule((reply) => ({
      _sg_dataset_finish: () => reply({ ok: true, description }),
    }));
    expect(core.datasetFinish(1)).toMatchObject({
      rows: 2,
      columns: [
        {
          first: '1970-01-01',
          last: '1970-01-02 01:00:00',
          min: null,
          distinct: null,
        },
      ],
      repairs: [{ line: 3, column: 1, code: 'blank_line', message: 'left out' }],
      repairCount: 9,
    });
  });

  test('baselines that cannot be compared are left out', () => {
    const naive = { season: 7, naiveLoss: null, seasonalNaiveLoss: null };
    const { core } = fakeModule((reply) => ({
      _sg_session_validate: () => reply({ ok: true, done: true, loss: 1, baselines: naive }),
    }));
    expect(core.sessionValidate(1)).toMatchObject({
      loss: 1,
      baselines: null,
      mae: null,
    });
  });
});

test('a module without the core’s calls is refused', async () => {
  await expect(loadCore(async () => ({}))).rejects.toMatchObject({
    code: 'core.missing',
  });
});
