import { useSyncExternalStore } from 'react';
import { DEFAULTS, preferencesOf, type Preferences, type SavedView } from './stored-preferences';

const KEY = 'console.preferences';
const VIEWS_MAX = 50;

const stored = (): Preferences => {
  try {
    return preferencesOf(localStorage.getItem(KEY) ?? '');
  } catch {
    return DEFAULTS; // a browser without storage
  }
};

let current: Preferences = stored();
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const showTheme = (): void => {
  document.documentElement.dataset['theme'] = current.theme;
};

/** Nothing secret belongs here: other programs of this browser's user can read it. */
export const setPreferences = (changes: Partial<Preferences>): void => {
  current = { ...current, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Without storage they last as long as the page.
  }
  showTheme();
  for (const listener of listeners) listener();
};

addEventListener('storage', ({ key }) => {
  if (key !== KEY) return;
  current = stored();
  showTheme();
  for (const listener of listeners) listener();
});

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => current);

/** The saved views of a screen, and the way to save and remove one. A view of the same name is replaced. */
export const useSavedViews = (
  screen: string,
): { readonly views: readonly SavedView[]; save: (view: SavedView) => void; remove: (name: string) => void } => {
  const { views } = usePreferences();
  const own = views[screen] ?? [];
  const put = (changed: readonly SavedView[]): void => setPreferences({ views: { ...views, [screen]: changed.slice(-VIEWS_MAX) } });
  return {
    views: own,
    save: (view) => put([...own.filter(({ name }) => name !== view.name), view]),
    remove: (name) => put(own.filter((view) => view.name !== name)),
  };
};
