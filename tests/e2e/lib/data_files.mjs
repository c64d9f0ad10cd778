// What a test does to the data that a browser keeps, from a document of the extension: looks at it, and spoils it.

/** Names and sizes of the files of every imported data set. */
export function keptFiles(page) {
  return page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle('datasets', { create: true });
    const found = [];
    try {
      for await (const folder of all.values()) {
        for await (const file of folder.values()) {
          found.push({ name: file.name, size: (await file.getFile()).size });
        }
      }
    } catch (error) {
      // What is removed while it is looked at was there when the look began.
      if (error.name !== 'NotFoundError') throw error;
      found.push({ name: 'on its way out', size: 0 });
    }
    return found.sort((a, b) => a.name.localeCompare(b.name));
  });
}

/** Changes one byte in the middle of the first shard that is kept. */
export function spoilShard(page) {
  return page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle('datasets');
    for await (const folder of all.values()) {
      const handle = await folder.getFileHandle('000000.safetensors');
      const { size } = await handle.getFile();
      const writer = await handle.createWritable({ keepExistingData: true });
      const position = Math.floor((size * 3) / 4);
      await writer.write({ type: 'write', position, data: new Uint8Array([0x5a, 0xa5]) });
      await writer.close();
      return;
    }
    throw new Error('nothing is kept');
  });
}
