// What the bundler resolves: the package's core modules stay files of their own, data files become texts.
declare module '#core' {
  const modules: import('./core_module.ts').Package;
  export default modules;
}
declare module '#example/*' {
  const text: string;
  export default text;
}
