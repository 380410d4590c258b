import { useSyncExternalStore, type ReactNode } from 'react';
import { Icon } from './icons';

interface Toast {
  readonly id: number;
  readonly text: ReactNode;
  readonly isAlert: boolean;
}

const SHOWN_MS = 6_000;
let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

const set = (next: readonly Toast[]): void => {
  toasts = next;
  for (const listener of listeners) listener();
};
const remove = (id: number): void => set(toasts.filter((toast) => toast.id !== id));
const add = (text: ReactNode, isAlert: boolean): void => {
  const id = ++lastId;
  set([...toasts.slice(-3), { id, text, isAlert }]);
  // What needs a person, or has a link, stays until the person has closed it.
  if (!isAlert && typeof text === 'string') setTimeout(() => remove(id), SHOWN_MS);
};

/** Says that something was done. Read out when the reader pauses. A text with a link stays until it is closed or followed. */
export const tell = (text: ReactNode): void => add(text, false);
/** Says that something failed. Read out at once, and stays until it is closed. */
export const alarm = (text: string): void => add(text, true);

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

const Shown = ({ isAlert, all }: { readonly isAlert: boolean; readonly all: readonly Toast[] }): ReactNode => (
  <div role={isAlert ? 'alert' : 'status'}>
    {all
      .filter((toast) => toast.isAlert === isAlert)
      .map(({ id, text }) => (
        <div key={id} className={isAlert ? 'toast bad' : 'toast'}>
          <Icon name={isAlert ? 'warning' : 'check'} />
          <span
            onClick={({ target }) => {
              if (target instanceof HTMLAnchorElement) remove(id);
            }}
          >
            {text}
          </span>
          <button type="button" className="quiet square" aria-label="Close this message" onClick={() => remove(id)}>
            <Icon name="cross" />
          </button>
        </div>
      ))}
  </div>
);

/** Once in the frame. Both regions exist from the start, or a screen reader would miss the first message. */
export const Toasts = (): ReactNode => {
  const all = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts">
      <Shown isAlert={false} all={all} />
      <Shown isAlert all={all} />
    </div>
  );
};
