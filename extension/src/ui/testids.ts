// The name of every control and figure that a test may want, in one table. A name is the element's data-testid and,
// where the element stands once in a page, its id too. The charts' names are on their <canvas>.

export const testIds = {
  // Both pages
  phase: 'status-phase',
  notice: 'notice',
  noticeDismiss: 'notice-dismiss',
  retryConnection: 'retry-connection',
  announcer: 'announcer',
  // Picking a file
  fileInput: 'file-input',
  folderInput: 'folder-input',
  dropZone: 'drop-zone',
  pickInDashboard: 'pick-in-dashboard',
  hostOpen: 'host-open',
  hostEntry: 'host-entry',
  hostUp: 'host-up',
  hostConnect: 'host-connect',
  hostState: 'host-state',
  dialogFolder: 'dialog-folder',
  dialogFile: 'dialog-file',
  dialogCancel: 'dialog-cancel',
  dialogState: 'dialog-state',
  exampleOpen: 'example-open',
  lastRunResume: 'last-run-resume',
  reading: 'reading',
  firstRows: 'first-rows',
  cancelReading: 'cancel-reading',
  // Imported data
  importRow: 'import-row',
  importOpen: 'import-open',
  importAgain: 'import-again',
  importRemove: 'import-remove',
  importConfirm: 'import-confirm',
  importsRoom: 'imports-room',
  roomQuestion: 'room-question',
  roomMake: 'room-make',
  roomKeep: 'room-keep',
  // What was read
  sourceName: 'source-name',
  sourceShape: 'source-shape',
  repairs: 'repairs',
  previewTable: 'preview-table',
  columnTable: 'column-table',
  // Setting up a run
  columnRow: 'column-row',
  features: 'features',
  columnFilter: 'column-filter',
  columnsLeft: 'columns-left',
  feature: 'feature',
  target: 'target',
  model: 'model',
  modelHelp: 'model-help',
  modelSize: 'model-size',
  advanced: 'advanced',
  modelField: 'model-field',
  train: 'train',
  proposal: 'proposal',
  useProposal: 'use-proposal',
  trial: 'trial',
  trialAct: 'trial-act',
  // A run
  pause: 'pause',
  resume: 'resume',
  stop: 'stop',
  save: 'save',
  download: 'download',
  trainMore: 'train-more',
  moreEpochs: 'more-epochs',
  newFile: 'new-file',
  newRun: 'new-run',
  openDashboard: 'open-dashboard',
  progress: 'progress',
  epoch: 'epoch',
  step: 'step',
  loss: 'loss',
  validationLoss: 'validation-loss',
  stepsPerSecond: 'steps-per-second',
  timeLeft: 'time-left',
  device: 'device',
  deviceReason: 'device-reason',
  preparing: 'preparing',
  memory: 'memory',
  metric: 'metric',
  effort: 'run-effort',
  race: 'race',
  extra: 'extra',
  runDuplicate: 'run-duplicate',
  runLink: 'run-link',
  runExport: 'run-export',
  runImport: 'run-import',
  runImports: 'run-imports',
  configText: 'config-text',
  configUse: 'config-use',
  runOrder: 'run-order',
  runTag: 'run-tag',
  compare: 'compare',
  compareRun: 'compare-run',
  compareChart: 'compare-chart',
  compareTable: 'compare-table',
  learningRateNow: 'learning-rate-now',
  gradientNorm: 'gradient-norm',
  meanError: 'mean-error',
  deviceMemory: 'device-memory',
  programMemory: 'program-memory',
  pace: 'pace',
  parameters: 'parameters',
  windows: 'windows',
  // The result
  verdict: 'verdict',
  naiveLoss: 'naive-loss',
  seasonalLoss: 'seasonal-loss',
  judgeAgain: 'judge-again',
  tableResult: 'table-result',
  confusion: 'confusion',
  byClass: 'by-class',
  curveClass: 'curve-class',
  areas: 'areas',
  worst: 'worst',
  importance: 'importance',
  errorTable: 'error-table',
  predictFile: 'predict-file',
  predicted: 'predicted',
  predictProblem: 'predict-problem',
  unseen: 'unseen',
  // Charts
  lossChart: 'loss-chart',
  predictionChart: 'prediction-chart',
  rocChart: 'roc-chart',
  prChart: 'pr-chart',
  calibrationChart: 'calibration-chart',
  scatterChart: 'scatter-chart',
  residualChart: 'residual-chart',
  logScale: 'log-scale',
  smoothing: 'smoothing',
  chartTable: 'chart-table',
  chartWhole: 'chart-whole',
  settingSection: 'setting-section',
  horizonStep: 'horizon-step',
  windowRange: 'window-range',
  // Checkpoints
  checkpointRow: 'checkpoint-row',
  checkpointResume: 'checkpoint-resume',
  checkpointDownload: 'checkpoint-download',
  checkpointRemove: 'checkpoint-remove',
  checkpointConfirm: 'checkpoint-confirm',
  checkpointRefresh: 'checkpoint-refresh',
  checkpointMarks: 'checkpoint-marks',
  checkpointTotal: 'checkpoint-total',
  resumeEpochs: 'resume-epochs',
  runGroup: 'run-group',
  runTitle: 'run-title',
  runNote: 'run-note',
  runDetail: 'run-detail',
  runEdit: 'run-edit',
  runName: 'run-name',
  runNoteText: 'run-note-text',
  runSave: 'run-save',
  runRemove: 'run-remove',
  runConfirm: 'run-confirm',
  // Device and host figures
  counters: 'counters',
  processor: 'processor',
  draws: 'draws',
  kernels: 'kernels',
  hostFrames: 'host-frames',
  hostBytes: 'host-bytes',
} as const;

export type TestId = (typeof testIds)[keyof typeof testIds] | SettingId;

/** Of a field of the configuration. */
export type SettingId = string & { readonly setting: true };

/** Two fields would be named as a figure of a run is. */
const otherNames: Record<string, string> = { device: 'device-choice', loss: 'loss-name' };

/** learningRate -> "learning-rate" */
export function settingId(field: string): SettingId {
  const words = field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return (otherNames[field] ?? words) as SettingId;
}

/** Attributes of an element that stands once in its page. */
export function once(name: TestId): { id: string; 'data-testid': TestId } {
  return { id: name, 'data-testid': name };
}

/** Attributes of an element that may stand many times. */
export function each(name: TestId): { 'data-testid': TestId } {
  return { 'data-testid': name };
}
