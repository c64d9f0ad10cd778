// What the bundler resolves: the core module stays a file of its own, data files become texts.
declare module '#core' {
  const createCore: () => Promise<unknown>;
  export default createCore;
}
declare module '#example/*' {
  const text: string;
  export default text;
}
