import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { count, plural } from '../../format';
import { answerOf, port, PortRefusal, type Schemas } from '../../port';
import { Dialog } from '../../ui/dialog';
import { Field, textIn } from '../../ui/field';
import type { Chip } from '../../ui/parts';
import { Notice } from '../../ui/states';
import { tell } from '../../ui/toasts';

type Filter = Omit<Schemas['ResendDeliveriesRequest'], 'actor' | 'cursor' | 'limit' | 'reason' | 'token'>;

const PART = 100;

interface Counted {
  readonly reason: string;
  readonly count: number;
  readonly token: string;
}

interface Progress {
  readonly requested: number;
  readonly skipped: number;
  /** Where the next part begins; undefined for the first one. */
  readonly cursor?: string | undefined;
  readonly isOver: boolean;
}

const NONE: Progress = { requested: 0, skipped: 0, isOver: false };

interface BulkResendProps {
  readonly filter: Filter;
  readonly chips: readonly Chip[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/**
 * Resends all callbacks of a filter: counted first, then in parts of a hundred. It can be stopped after each part, and continues from
 * there, also after a failure.
 */
export const BulkResend = ({ filter, chips, onDone, onClose }: BulkResendProps): ReactNode => {
  const [counted, setCounted] = useState<Counted>();
  const [progress, setProgress] = useState<Progress>(NONE);
  const [isRunning, setRunning] = useState(false);
  const [error, setError] = useState<Error>();
  const [reasonError, setReasonError] = useState<string>();
  const isStopped = useRef(false);
  useEffect(
    () => () => {
      isStopped.current = true;
    },
    [],
  );

  const running = async (work: () => Promise<void>): Promise<void> => {
    setRunning(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
    setRunning(false);
  };

  const countAll = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const reason = textIn(new FormData(event.currentTarget), 'reason');
    if (!/[\p{L}\p{N}]/u.test(reason)) {
      setReasonError('Say why, in a few words.');
      event.currentTarget.querySelector('textarea')?.focus();
      return;
    }
    setReasonError(undefined);
    void running(async () => {
      const answer = await answerOf(port.POST('/deliveries/resending', { body: { ...filter, reason } }));
      if ('token' in answer) setCounted({ ...answer, reason });
    });
  };

  const resend = ({ token, reason }: Counted): void => {
    isStopped.current = false;
    void running(async () => {
      for (let now = progress; !now.isOver && !isStopped.current;) {
        const { cursor } = now;
        const answer = await answerOf(
          port.POST('/deliveries/resending', { body: { ...filter, reason, token, limit: PART, ...(cursor !== undefined && { cursor }) } }),
        );
        if (!('requested' in answer)) return;
        now = {
          requested: now.requested + answer.requested,
          skipped: now.skipped + answer.skipped,
          cursor: answer.next,
          isOver: answer.next === undefined,
        };
        setProgress(now);
      }
    });
  };

  const close = (): void => {
    isStopped.current = true;
    if (progress.requested > 0) {
      tell(`${plural(progress.requested, 'callback')} due again`);
      onDone();
    }
    onClose();
  };
  const done = progress.requested + progress.skipped;
  const isOver = progress.isOver || counted?.count === 0;
  return (
    <Dialog title="Resend all callbacks of a filter" onClose={close}>
      <p className="effect">
        {chips.length === 0
          ? 'All callbacks that wait or were given up, of every merchant that you see.'
          : `Callbacks with ${chips.map(({ label, value }) => `${label.toLowerCase()} ${value}`).join(', ')}.`}{' '}
        Each is sent with its own bytes and webhook-id.
      </p>
      {counted === undefined ? (
        <form className="action" noValidate onSubmit={countAll} aria-busy={isRunning}>
          <Field label="Reason" hint="Recorded with your name, and stored sealed." error={reasonError}>
            {(tied) => <textarea {...tied} name="reason" rows={3} required maxLength={1_000} autoComplete="off" />}
          </Field>
          <Failure error={error} />
          <div className="dialog-buttons">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button type="submit" className="primary" aria-disabled={isRunning}>
              {isRunning ? 'Counting…' : 'Count first'}
            </button>
          </div>
        </form>
      ) : (
        <div className="action" aria-busy={isRunning}>
          <p role="status" className="bulk-count">
            {progress === NONE
              ? `${plural(counted.count, 'callback')} match.`
              : `${count(progress.requested)} of ${plural(counted.count, 'callback')} due again${progress.skipped > 0 ? `, ${count(progress.skipped)} skipped: delivered or resent in the meantime` : ''}.`}
          </p>
          {progress === NONE ? null : <progress aria-label="Callbacks handled" value={done} max={Math.max(counted.count, done, 1)} />}
          <Failure error={error} />
          <div className="dialog-buttons">
            {isRunning ? (
              <button type="button" onClick={() => (isStopped.current = true)}>
                Stop after this part
              </button>
            ) : (
              <button type="button" onClick={close}>
                {isOver ? 'Close' : 'Cancel'}
              </button>
            )}
            {isOver ? null : (
              <button type="button" className="primary" aria-disabled={isRunning} onClick={isRunning ? undefined : () => resend(counted)}>
                {isRunning ? 'Sending…' : progress === NONE ? `Resend ${plural(counted.count, 'callback')}` : 'Continue'}
              </button>
            )}
          </div>
        </div>
      )}
    </Dialog>
  );
};

const Failure = ({ error }: { readonly error: Error | undefined }): ReactNode =>
  error === undefined ? null : (
    <Notice tone="bad" icon="stop" title="Stopped" isAlert>
      {error.message}. {error instanceof PortRefusal ? error.hint : null} What was requested stays requested; a part may be repeated.
    </Notice>
  );
