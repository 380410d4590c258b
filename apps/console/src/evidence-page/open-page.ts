import { PACK_BYTES_MAX, readLogKey, verifyPack, type PackVerdict } from '@app/proofs';
import { packWords, type VerdictWords } from '../proof/pack-words';

/** The script of `open.html` in an evidence pack: checks a pack, and steps through the order. The page works without it. */

interface Step {
  readonly title: string;
  readonly knownAt: string;
  readonly trueAt: string;
  readonly actor: string;
  /** Null: the state has the field no more. */
  readonly changes: readonly (readonly [field: string, value: string | null])[];
}

interface PageData {
  readonly orderId: string;
  readonly steps: readonly Step[];
}

const part = <Type extends HTMLElement>(id: string): Type => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found as Type;
};

/** An element with texts and elements in it: texts of a pack never become markup. */
const made = (name: string, ...inside: readonly (string | Node)[]): HTMLElement => {
  const element = document.createElement(name);
  element.append(...inside);
  return element;
};

const { orderId, steps } = JSON.parse(part('data').textContent) as PageData;

const time = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 23)} UTC`;

type Message = Pick<VerdictWords, 'tone' | 'title'> & Partial<VerdictWords>;

const show = ({ tone, title, lead = '', details = [] }: Message): void => {
  const box = made('div', made('strong', title), made('p', lead), made('ul', ...details.map((text) => made('li', text))));
  box.className = tone;
  part('result').replaceChildren(box);
  const verdict = part('verdict');
  verdict.className = `verdict ${tone}`;
  verdict.replaceChildren(`${title} `, Object.assign(made('a', 'Details'), { href: '#check' }));
};

const NO_PACK: Message = { tone: 'wrong', title: 'This file is no evidence pack.', lead: 'It is too large.' };
const BAD_KEY: Message = {
  tone: 'unsure',
  title: 'The key is not of the form NAME+ID+BASE64.',
  lead: 'Paste the whole line that the service publishes.',
};

const showVerdict = (verdict: PackVerdict): void => {
  if ('contents' in verdict && verdict.contents.orderId !== orderId)
    show({ tone: 'wrong', title: 'That pack is of another order than this page.', lead: `It is of order ${verdict.contents.orderId}.` });
  else show(packWords(verdict));
};

const startCheck = (): void => {
  const [key, file, drop] = [part<HTMLInputElement>('key'), part<HTMLInputElement>('pack'), part('drop')];
  let pack: Uint8Array | undefined;
  const check = (): void => {
    if (pack === undefined) return;
    const trusted = readLogKey(key.value);
    if (key.value.trim() !== '' && trusted === undefined) {
      key.setAttribute('aria-invalid', 'true');
      return show(BAD_KEY);
    }
    key.removeAttribute('aria-invalid');
    return showVerdict(verifyPack(pack, trusted));
  };
  const take = (chosen: File | undefined): void => {
    if (chosen === undefined) return;
    if (chosen.size > PACK_BYTES_MAX) return show(NO_PACK);
    void chosen.arrayBuffer().then(
      (bytes) => {
        pack = new Uint8Array(bytes);
        check();
      },
      () => show({ tone: 'unsure', title: 'The file cannot be read.' }),
    );
  };
  key.addEventListener('input', check);
  file.addEventListener('change', () => take(file.files?.[0]));
  // Anywhere on the page, because a file dropped beside the field would replace the page.
  document.addEventListener('dragover', (event) => {
    event.preventDefault();
    drop.classList.add('over');
  });
  document.addEventListener('dragleave', () => drop.classList.remove('over'));
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    drop.classList.remove('over');
    take(event.dataTransfer?.files[0]);
  });
  part('check-form').hidden = false;
  part('verdict').hidden = false;
};

const startMoment = (): void => {
  if (steps.length === 0) return;
  const [bar, back, on] = [part<HTMLInputElement>('at'), part<HTMLButtonElement>('back'), part<HTMLButtonElement>('on')];
  const last = steps.length - 1;
  const showMoment = (at: number): void => {
    const step = steps[at];
    if (step === undefined) return;
    const state = new Map<string, string>();
    for (const { changes } of steps.slice(0, at + 1))
      for (const [field, value] of changes)
        if (value === null) state.delete(field);
        else state.set(field, value);
    const changed = new Set(step.changes.map(([field]) => field));
    bar.value = String(at);
    bar.setAttribute('aria-valuetext', `Event ${at + 1} of ${steps.length}: ${step.title}, ${time(step.knownAt)}`);
    [back.disabled, on.disabled] = [at === 0, at === last];
    part('moment-words').replaceChildren(
      made('strong', `${at + 1} of ${steps.length}: ${step.title}`),
      made(
        'p',
        `Recorded ${time(step.knownAt)}${step.trueAt === step.knownAt ? '' : `; true at the gate ${time(step.trueAt)}`}; by ${step.actor}`,
      ),
    );
    const [own, others] = [true, false].map((isOwn) => [...state].filter(([field]) => changed.has(field) === isOwn));
    part('state').replaceChildren(
      ...[...(own ?? []), ...(others ?? [])].map(([field, value]) => {
        const name = Object.assign(document.createElement('th'), { scope: 'row' });
        name.append(field);
        return made('tr', name, made('td', ...(changed.has(field) ? [made('mark', value), ' changed'] : [value])));
      }),
    );
  };
  bar.max = String(last);
  bar.addEventListener('input', () => showMoment(Number(bar.value)));
  back.addEventListener('click', () => showMoment(Number(bar.value) - 1));
  on.addEventListener('click', () => showMoment(Number(bar.value) + 1));
  showMoment(last);
  part('moment').hidden = false;
};

startCheck();
startMoment();
