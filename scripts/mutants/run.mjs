import { fork } from 'node:child_process';
import { equivalentFaults, isOf, readEquivalents } from './equivalents.mjs';
import { GROUPS } from './groups.mjs';
import { mutantsOf, specsOf } from './mutants.mjs';

/** Mutation tests, a group of files at a time: `npm run test:mutants -- signers schedules`; without names, all groups. */
const WORKER = new URL('worker.cjs', import.meta.url);
/** A worker that says nothing for so long after a spec began is in a loop that passes no mutant; on a machine that does other things too it needs longer. */
const SILENCE_MS = Number(process.env['MUTANTS_SILENCE_MS'] ?? '20000');
/** The first run, on the code as it is, compiles all of it. */
const FIRST_RUN_MS = 300_000;
const PROGRESS_EACH = 100;
/** Fewer than a run of the tests has: a mutant that they cannot see in as many, more would not see either, and each mutant costs them anew. */
const COUNTS = { SIGNED_PAIRS: '2000', OAUTH_MUTATIONS: '300' };
const KILLED = new Set(['Killed', 'Timeout']);

/** Tries mutants in a process of its own until all are tried or the process is lost to one of them. */
const tryIn = (work, statuses) =>
  new Promise((done, fail) => {
    const worker = fork(WORKER, { env: { ...process.env, ...COUNTS } });
    let current;
    let { covering } = work;
    let silence;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => worker.kill('SIGKILL'), covering === undefined ? FIRST_RUN_MS : SILENCE_MS);
    };
    worker.on('message', (message) => {
      if (message.error !== undefined) return fail(new Error(message.error));
      if (message.covering !== undefined) covering = message.covering;
      else if (message.status === 'Begun') current = message.id;
      else {
        statuses.set(message.id, message.status);
        if (statuses.size % PROGRESS_EACH === 0) console.error(`${statuses.size} tried`);
      }
      heard();
    });
    worker.on('exit', () => {
      clearTimeout(silence);
      if (current !== undefined && !statuses.has(current)) statuses.set(current, 'Timeout');
      done(covering);
    });
    heard();
    worker.send({ ...work, mutants: work.mutants.filter((id) => !statuses.has(id)) });
  });

const runGroup = async (name, group) => {
  const { files, mutants } = await mutantsOf(group);
  const statuses = new Map();
  let covering;
  while (statuses.size < mutants.length) {
    const before = statuses.size;
    covering = await tryIn({ files, specs: specsOf(group), mutants: mutants.map(({ id }) => id), covering }, statuses);
    if (statuses.size === before) throw new Error(`${name}: the worker ended before it tried a mutant`);
  }
  return mutants.map((mutant) => ({ ...mutant, status: statuses.get(mutant.id), isKilled: KILLED.has(statuses.get(mutant.id)) }));
};

const scoreOf = (name, mutants) => {
  const equivalents = readEquivalents();
  const counted = mutants.filter((mutant) => mutant.isKilled || !equivalents.some((equivalent) => isOf(equivalent, mutant)));
  const survivors = counted.filter(({ isKilled }) => !isKilled);
  for (const { at, mutatorName, status, original, replacement } of survivors)
    console.log(`${status} ${mutatorName} ${at}\n  - ${original}\n  + ${replacement}`);
  const faults = equivalentFaults(equivalents, mutants);
  for (const fault of faults) console.log(`EQUIVALENT ${fault}`);
  const killedPercent = (100 * (counted.length - survivors.length)) / counted.length;
  const { barPercent } = GROUPS[name];
  const isPassed = killedPercent >= barPercent && faults.length === 0;
  const aside = mutants.length - counted.length;
  const late = counted.filter(({ status }) => status === 'Timeout').length;
  const text = `${killedPercent.toFixed(1)} % of ${counted.length} killed (bar ${barPercent} %), ${late} of them by time, ${survivors.length} survive, ${aside} equivalent`;
  return { isPassed, text: `${isPassed ? 'ok  ' : 'FAIL'} ${name}: ${text}` };
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !Object.hasOwn(GROUPS, name));
if (unknown.length > 0) throw new Error(`no such group: ${unknown.join(', ')}; there are ${Object.keys(GROUPS).join(', ')}`);
const scores = [];
for (const name of asked.length > 0 ? asked : Object.keys(GROUPS)) scores.push(scoreOf(name, await runGroup(name, GROUPS[name])));
for (const { text } of scores) console.log(text);
process.exitCode = scores.every(({ isPassed }) => isPassed) ? 0 : 1;
