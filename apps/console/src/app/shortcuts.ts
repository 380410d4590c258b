import { useEffect, useRef } from 'react';

interface Shortcut {
  /** One key, or two with a blank between them, as in `g o`. */
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
}

/** A second key counts for this long after the first. */
const SEQUENCE_MS = 1_200;
const shortcuts = new Set<{ readonly current: Shortcut }>();
let first: { readonly key: string; readonly at: number } | undefined;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest('input, textarea, select, [role="slider"]') !== null);

/** The newest one wins, so that a screen may replace a key of the frame. */
const find = (keys: string): Shortcut | undefined => [...shortcuts].reverse().find(({ current }) => current.keys === keys)?.current;

const handle = (event: KeyboardEvent): void => {
  const { key, target, ctrlKey, metaKey, altKey, timeStamp } = event;
  if (event.defaultPrevented || altKey) return;
  if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') {
    const search = find('Ctrl K');
    if (search === undefined) return;
    event.preventDefault();
    search.run();
    return;
  }
  // A single letter must never act while somebody writes, and a dialog keeps the keys to itself.
  if (ctrlKey || metaKey || isTyping(target) || document.querySelector('dialog[open]') !== null) return;
  const begun = first !== undefined && timeStamp - first.at < SEQUENCE_MS ? first.key : undefined;
  first = undefined;
  const found = (begun === undefined ? undefined : find(`${begun} ${key}`)) ?? find(key);
  if (found !== undefined) {
    event.preventDefault();
    found.run();
  } else if ([...shortcuts].some(({ current }) => current.keys.startsWith(`${key} `))) first = { key, at: timeStamp };
};

/** Once, at the start of the program. */
export const listenToKeys = (): void => addEventListener('keydown', handle);

/** A key while the component is shown. `?` lists it under its label. */
export const useShortcut = (keys: string, label: string, run: () => void): void => {
  const shortcut = useRef<Shortcut>({ keys, label, run });
  shortcut.current = { keys, label, run };
  useEffect(() => {
    shortcuts.add(shortcut);
    return () => void shortcuts.delete(shortcut);
  }, []);
};

/** All keys of now, each once. */
export const shortcutsNow = (): readonly Pick<Shortcut, 'keys' | 'label'>[] => [
  ...new Map([...shortcuts].map(({ current }) => [current.keys, current])).values(),
];
