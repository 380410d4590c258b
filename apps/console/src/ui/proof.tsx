import { useId, useState, useSyncExternalStore, type FormEvent, type ReactNode } from 'react';
import type { LogKey } from '@app/proofs';
import { ProofMemory } from '../proof/proof-memory';
import { outcomeOf, type ProofStep, type StepState } from '../proof/proof-steps';
import { Badge, type Tone } from './badge';
import { Field } from './field';
import { Icon, type IconName } from './icons';
import { copyText, Id } from './parts';

const listeners = new Set<() => void>();
const changed = (): void => listeners.forEach((listener) => listener());
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** A browser may allow no storage, or no more of it: then what it trusts lasts as long as the page. */
const texts = new Map<string, string>();
const attempt = (use: () => string | null | void, otherwise: () => void = () => undefined): string | null => {
  try {
    return use() ?? null;
  } catch {
    otherwise();
    return null;
  }
};
export const proofMemory = new ProofMemory({
  getItem: (name) => texts.get(name) ?? attempt(() => localStorage.getItem(name)),
  setItem: (name, text) => {
    texts.delete(name);
    attempt(
      () => localStorage.setItem(name, text),
      () => texts.set(name, text),
    );
  },
  removeItem: (name) => {
    texts.delete(name);
    attempt(() => localStorage.removeItem(name));
  },
});

/** The key of the log that this browser trusts, as its text: equal texts are equal keys. */
export const useTrustedKey = (): LogKey | undefined => {
  useSyncExternalStore(subscribe, () => proofMemory.key()?.text ?? '');
  return proofMemory.key();
};

/** The public key itself, in Base64: the same under each name of the log. */
const KEY_END_LENGTH = 44;

/**
 * The log's key that this browser trusts, and the way to trust or forget one. Only a person sets it: a key that the service gives
 * is offered, and trusted only after that person says that it was compared.
 * @param offered the key that the service gives
 */
export const TrustedKey = ({ offered }: { readonly offered?: string | null | undefined }): ReactNode => {
  const key = useTrustedKey();
  const [text, setText] = useState('');
  const [error, setError] = useState<string>();
  const [isCompared, setCompared] = useState(false);
  // A person who pastes the key has it from elsewhere.
  const [isOffered, setOffered] = useState(false);
  if (key !== undefined)
    return (
      <div className="trusted">
        <Badge tone="ok" icon="shield">
          Trusted key
        </Badge>
        <Id text={key.text} what="trusted key" />
        <button
          type="button"
          onClick={() => {
            proofMemory.forget();
            changed();
          }}
        >
          Forget this key
        </button>
      </div>
    );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isOffered && !isCompared) return setError('Compare it first: a service that changed its log can give another key.');
    if (proofMemory.trust(text) === undefined) return setError('This is no key of the form NAME+ID+BASE64. Paste the whole line.');
    setText('');
    setOffered(false);
    return changed();
  };
  return (
    <form className="trust" onSubmit={submit}>
      <Field
        label="Published key of the log"
        hint={
          <>
            Compare it by another way than this page: <code>orch log key show</code> prints it on the machine with the log. This browser
            keeps it.
          </>
        }
        error={error}
      >
        {(tied) => (
          <input
            {...tied}
            className="code"
            value={text}
            autoComplete="off"
            spellCheck={false}
            placeholder="NAME+ID+BASE64"
            onChange={({ currentTarget }) => {
              setText(currentTarget.value);
              setOffered(false);
              setError(undefined);
            }}
          />
        )}
      </Field>
      {text.trim().length < KEY_END_LENGTH ? null : (
        <p className="key-end">
          Its last {KEY_END_LENGTH} characters: <code>{text.trim().slice(-KEY_END_LENGTH)}</code>
        </p>
      )}
      {isOffered ? (
        <>
          <p className="muted">A key that comes from the service proves less than one that was kept elsewhere.</p>
          <label className="check">
            <input type="checkbox" checked={isCompared} onChange={({ currentTarget }) => setCompared(currentTarget.checked)} />
            <span>I compared its last {KEY_END_LENGTH} characters with a copy that did not come from this service</span>
          </label>
        </>
      ) : null}
      <div className="page-actions">
        <button type="submit" className="primary">
          Trust this key
        </button>
        {offered == null || isOffered ? null : (
          <button
            type="button"
            onClick={() => {
              setText(offered);
              setOffered(true);
              setCompared(false);
              setError(undefined);
            }}
          >
            Fill in the key of this service
          </button>
        )}
        {offered == null ? null : (
          <button type="button" onClick={() => void copyText(offered, 'Key of this service')}>
            Copy the key of this service
          </button>
        )}
      </div>
    </form>
  );
};

const STATES: Readonly<Record<StepState, readonly [tone: Tone, icon: IconName, word: string, whole: string]>> = {
  held: ['ok', 'check', 'Holds', 'Verified'],
  failed: ['bad', 'cross', 'Fails', 'Not verified'],
  unchecked: ['warn', 'question', 'Not checked', 'Not fully checked'],
};

/** `Verified`, or why not. */
export const Outcome = ({ steps }: { readonly steps: readonly ProofStep[] }): ReactNode => {
  const [tone, icon, , word] = STATES[outcomeOf(steps)];
  return (
    <Badge tone={tone} icon={icon}>
      {word}
    </Badge>
  );
};

const STEP_NAMES: Readonly<Record<ProofStep['name'], string>> = {
  leaf: 'Event',
  chain: 'Order of events',
  path: 'Place in the log',
  signature: 'Signature',
  continuity: 'Continuity',
};

/** Each check with its result in words. */
export const ProofSteps = ({ steps }: { readonly steps: readonly ProofStep[] }): ReactNode => {
  const id = useId();
  return (
    <ol className="proof-steps">
      {steps.map(({ name, state, text }, at) => {
        const [tone, icon, word] = STATES[state];
        return (
          <li key={`${id}${at}`} className={tone}>
            <Icon name={icon} />
            <div>
              <strong>
                {STEP_NAMES[name]}: {word.toLowerCase()}
              </strong>
              <span>{text}</span>
            </div>
          </li>
        );
      })}
    </ol>
  );
};
