// How our own measurements time a workload, in a worker: the first step with all that is made on the way, a few to warm
// up, then steady ones, each ended by reading its loss. The same figures come from a harness that drives other libraries.
const WARM_UP = 3;

export async function measure({ budgetMs, minSteps, maxSteps }, { step, counters }) {
  const losses = [];
  const one = async () => {
    const start = performance.now();
    losses.push(await step(losses.length));
    return performance.now() - start;
  };
  const firstStepMs = await one();
  for (let i = 0; i < WARM_UP; i += 1) await one();
  const countersStart = counters();
  const stepMs = [];
  const start = performance.now();
  const going = () => stepMs.length < minSteps || performance.now() - start < budgetMs;
  while (stepMs.length < maxSteps && going()) stepMs.push(await one());
  const countersEnd = counters();
  return { firstStepMs, stepMs, losses, countersStart, countersEnd, countersSteps: stepMs.length };
}
