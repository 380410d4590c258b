const { createModules } = require('./modules.cjs');
const { runSpec } = require('./specs.cjs');

/** The names that the instrumenter's switches read. */
const switches = (globalThis.__stryker__ = { activeMutant: undefined });
/** An endless loop shows by passing its mutant this many times as often as the code does. */
const HITS_FACTOR = 100;
const HITS_MIN = 10_000;

/** Waits until it is on its way: specs that only compute leave the loop of events no turn to send anything. */
const tell = (message) => new Promise((done) => process.send(message, () => setImmediate(done)));

const addHits = (covering, mutant, spec, hits, index) => {
  const bySpec = (covering[mutant] ??= {});
  const entry = (bySpec[spec] ??= { hits: 0, tests: [], isStatic: false });
  entry.hits += hits;
  if (index === undefined) entry.isStatic = true;
  else entry.tests.push(index);
};

/** Which tests of which specs pass each mutant, from one run of all on the code as it is. */
const coverage = async (modules, specs) => {
  const covering = {};
  for (const spec of specs) {
    switches.mutantCoverage = { static: {}, perTest: {} };
    modules.forget();
    const onTest = (index) => (switches.currentTestId = index === undefined ? undefined : `${index}`);
    const failure = await runSpec(modules, spec, { onTest });
    if (failure !== undefined) throw new Error(`${spec} fails on the code as it is: ${failure.error?.stack ?? failure.error}`);
    for (const [mutant, hits] of Object.entries(switches.mutantCoverage.static)) addHits(covering, mutant, spec, hits);
    for (const [index, byMutant] of Object.entries(switches.mutantCoverage.perTest))
      for (const [mutant, hits] of Object.entries(byMutant)) addHits(covering, mutant, spec, hits, Number(index));
  }
  return covering;
};

const statusOf = async (modules, mutant, bySpec) => {
  if (bySpec === undefined) return 'NoCoverage';
  const entries = Object.entries(bySpec).sort(([, one], [, other]) => one.hits - other.hits);
  for (const [spec, { hits, tests, isStatic }] of entries) {
    await tell({ id: mutant, status: 'Begun' });
    Object.assign(switches, { activeMutant: mutant, hitCount: 0, hitLimit: Math.max(HITS_MIN, hits * HITS_FACTOR) });
    const failure = await runSpec(modules, spec, isStatic ? {} : { only: new Set(tests) });
    switches.activeMutant = undefined;
    if (failure !== undefined) return 'Killed';
  }
  return 'Survived';
};

process.once('message', async ({ files, specs, mutants, covering }) => {
  try {
    const modules = createModules(new Map(files));
    const known = covering ?? (await coverage(modules, specs));
    await tell({ covering: known });
    for (const id of mutants) {
      await tell({ id, status: await statusOf(modules, id, known[id]) });
    }
    process.disconnect();
  } catch (error) {
    process.send({ error: `${error?.stack ?? error}` }, () => process.exit(1));
  }
});
