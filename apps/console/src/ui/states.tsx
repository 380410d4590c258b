import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { PortRefusal } from '../port';
import { Icon, type IconName } from './icons';
import type { Tone } from './badge';

const SKELETON_AFTER_MS = 150;

/** Grey lines after 150 ms: a fast answer shows none. */
export const Skeleton = ({ lines = 6 }: { readonly lines?: number }): ReactNode => {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SKELETON_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  // Empty until then, so that a test can wait for its end from the start.
  if (!isShown) return <div className="skeleton" />;
  return (
    <div className="skeleton" role="status">
      <span className="hidden">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className="bone" />
      ))}
    </div>
  );
};

interface NoticeProps {
  readonly tone?: Tone;
  readonly icon?: IconName;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
  /** Read out at once. */
  readonly isAlert?: boolean;
}

/** A message in the place to which it belongs. */
export const Notice = ({ tone = 'info', icon = 'dot', title, children, actions, isAlert = false }: NoticeProps): ReactNode => (
  <div className={`notice ${tone}`} role={isAlert ? 'alert' : undefined}>
    <Icon name={icon} />
    <div className="notice-text">
      <strong>{title}</strong>
      {children === undefined ? null : <div>{children}</div>}
    </div>
    {actions === undefined ? null : <div className="notice-actions">{actions}</div>}
  </div>
);

interface BlankProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** There is nothing to show, and that is all right. */
export const Empty = ({ title, children, actions }: BlankProps): ReactNode => (
  <div className="blank">
    <strong>{title}</strong>
    {children === undefined ? null : <p>{children}</p>}
    {actions}
  </div>
);

/** Nothing passes the filters. */
export const EmptyByFilters = ({ onClear }: { readonly onClear: () => void }): ReactNode => (
  <Empty
    title="No entry matches these filters"
    actions={
      <button type="button" onClick={onClear}>
        Remove all filters
      </button>
    }
  >
    Remove one, or choose a longer time.
  </Empty>
);

/** The list ended early, so it must not be read as complete. */
export const CutShort = ({ children }: { readonly children?: ReactNode }): ReactNode => (
  <Notice tone="warn" icon="warning" title="This list is cut short">
    {children ?? 'The limit of checked entries was reached. Later entries are not checked yet: load more, or add a filter.'}
  </Notice>
);

/** A read model has not seen the latest events, or was never built. */
export const Behind = ({ isMissing = false }: { readonly isMissing?: boolean }): ReactNode => (
  <Notice tone="warn" icon="clock" title={isMissing ? 'This list is not built yet' : 'This list is behind the log'}>
    {isMissing
      ? 'It is empty until the service has built it from the log. The log itself is complete.'
      : 'New entries and changes may be missing here. The log itself is complete: reload in a moment.'}
  </Notice>
);

/** Personal data were destroyed. The facts of the order stay. */
export const Erased = ({ children }: { readonly children?: ReactNode }): ReactNode => (
  <Notice tone="calm" icon="stop" title="Personal data erased">
    {children ?? 'The keys of this order’s personal data were destroyed. The other facts did not change.'}
  </Notice>
);

/** The port says so if an event was changed after it was stored. */
export const isDamaged = (error: Error): boolean =>
  error instanceof PortRefusal && error.status === 500 && /hash chain|log verify/.test(error.message);

/** Why an answer is missing, and what to do: refused, not found, offline, damaged. */
export const ErrorNotice = ({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }): ReactNode => {
  const actions =
    onRetry === undefined ? undefined : (
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    );
  if (!(error instanceof PortRefusal))
    return (
      <Notice tone="bad" icon="warning" title="This page has a fault" isAlert actions={actions}>
        {error.message}
      </Notice>
    );
  if (isDamaged(error))
    return (
      <Notice tone="bad" icon="shield" title="The record is damaged" isAlert>
        An event of it was changed, lost or moved after it was stored. Do not rely on what is shown, and do not act on it. The service says:{' '}
        {error.message}.
      </Notice>
    );
  const text = (
    <>
      {error.message}. {error.hint}
    </>
  );
  if (error.status === 0)
    return (
      <Notice tone="warn" icon="warning" title="Offline" isAlert actions={actions}>
        {text}
      </Notice>
    );
  if (error.status === 403)
    return (
      <Notice tone="warn" icon="stop" title="Refused">
        {text}
      </Notice>
    );
  if (error.status === 404)
    return (
      <Notice tone="calm" icon="search" title="Not found">
        {text}
      </Notice>
    );
  return (
    <Notice tone="bad" icon="warning" title="No answer to this question" isAlert actions={actions}>
      {text}
    </Notice>
  );
};

interface ResultProps<T> {
  readonly query: UseQueryResult<T, PortRefusal | Error>;
  readonly lines?: number;
  readonly children: (data: T) => ReactNode;
}

/** The answer, or its loading, or its error. An older answer stays under the error of a newer question. */
export const Result = <T,>({ query, lines, children }: ResultProps<T>): ReactNode => {
  const { data, error, isFetching, refetch } = query;
  const notice = error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return notice ?? <Skeleton {...(lines === undefined ? {} : { lines })} />;
  return (
    <div aria-busy={isFetching}>
      {notice}
      {children(data)}
    </div>
  );
};
