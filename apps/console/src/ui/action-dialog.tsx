import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { useSession } from '../app/session';
import { newKey, PortRefusal } from '../port';
import { Dialog } from './dialog';
import { Field, textIn } from './field';
import { Notice } from './states';
import { alarm, tell } from './toasts';

const REASON_LENGTH_MAX = 1_000;

export interface ActionForm {
  /** Trimmed, never empty unless the dialog asks for none. Stored sealed. */
  readonly reason: string;
  /** Made once for each opening: a repeat from the same dialog is the same request. */
  readonly key: string;
  /** True if an admin acts without the second person; absent otherwise. */
  readonly alone?: true;
  /** The fields of `children`, by their `name`. */
  readonly fields: FormData;
}

interface ActionDialogProps {
  readonly title: string;
  /** The verb of the button: "Refund". */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** What will happen, before the fields. */
  readonly effect?: ReactNode;
  /** Further fields, uncontrolled, with names. */
  readonly children?: ReactNode;
  /** The configuration may require a second person: an admin is offered to act alone. */
  readonly mayNeedApproval?: boolean;
  /** False for an action whose record is the reason itself: `reason` is then empty. */
  readonly hasReason?: boolean;
  /** True for an action that takes `key`, and so may be repeated after an unknown outcome. */
  readonly hasKey?: boolean;
  /** Sends the request. An answer with `approval` means that it waits for a second person. */
  readonly onSubmit: (form: ActionForm) => Promise<unknown>;
  /** After success. The dialog is closed. */
  readonly onDone?: () => void;
  readonly onClose: () => void;
  readonly doneText?: ReactNode;
}

type State =
  | { readonly kind: 'open' }
  | { readonly kind: 'running' }
  | { readonly kind: 'refused'; readonly error: Error }
  | { readonly kind: 'unknown'; readonly error: Error };

const hasApproval = (answer: unknown): boolean => typeof answer === 'object' && answer !== null && 'approval' in answer;

/** An operator's action: its effect, a reason, and the port's words if it refuses. */
export const ActionDialog = ({
  title,
  verb,
  isDangerous = false,
  effect,
  children,
  mayNeedApproval = false,
  hasReason = true,
  hasKey = false,
  onSubmit,
  onDone,
  onClose,
  doneText,
}: ActionDialogProps): ReactNode => {
  const { can } = useSession();
  const [key] = useState(newKey);
  const [state, setState] = useState<State>({ kind: 'open' });
  const [reasonError, setReasonError] = useState<string>();
  const isMounted = useRef(true);
  /** A failure that is on the screen. A list that is read again may take the dialog away with its row. */
  const unread = useRef<string>(undefined);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
      if (unread.current !== undefined) alarm(unread.current);
    };
  }, []);
  const close = (): void => {
    unread.current = undefined;
    onClose();
  };
  const isRunning = state.kind === 'running';
  const isFinal = state.kind === 'unknown' && !hasKey;

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isRunning || isFinal) return;
    const form = event.currentTarget;
    const fields = new FormData(form);
    const reason = textIn(fields, 'reason');
    if (hasReason && !/[\p{L}\p{N}]/u.test(reason)) {
      setReasonError('Say why, in a few words.');
      form.querySelector<HTMLTextAreaElement>('textarea[name=reason]')?.focus();
      return;
    }
    setReasonError(undefined);
    setState({ kind: 'running' });
    try {
      const answer = await onSubmit({ reason, key, fields, ...(fields.get('alone') === 'on' ? { alone: true as const } : {}) });
      tell(hasApproval(answer) ? 'It waits for the approval of a second person' : (doneText ?? `Done: ${title}`));
      onDone?.();
      close();
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      const text = `${title}: ${failure.message}`;
      if (!isMounted.current) return alarm(text);
      unread.current = text;
      setState({ kind: failure instanceof PortRefusal && failure.isOutcomeUnknown ? 'unknown' : 'refused', error: failure });
    }
  };

  return (
    <Dialog title={title} onClose={isRunning ? () => undefined : close}>
      <form className="action" noValidate onSubmit={(event) => void submit(event)} aria-busy={isRunning}>
        {effect === undefined ? null : <div className="effect">{effect}</div>}
        {children}
        {hasReason ? (
          <Field label="Reason" hint="Recorded with your name, and stored sealed." error={reasonError}>
            {(tied) => <textarea {...tied} name="reason" rows={3} required maxLength={REASON_LENGTH_MAX} autoComplete="off" />}
          </Field>
        ) : null}
        {mayNeedApproval && can('admin') ? (
          <label className="check">
            <input type="checkbox" name="alone" />
            <span>
              Act alone, without the second person that the configuration may require.
              <small>Raises an alarm, and stays on the overview for seven days.</small>
            </span>
          </label>
        ) : null}
        {state.kind === 'refused' ? (
          <Notice tone="bad" icon="stop" title="Refused" isAlert>
            {state.error.message}. {state.error instanceof PortRefusal ? state.error.hint : null}
          </Notice>
        ) : null}
        {state.kind === 'unknown' ? (
          <Notice tone="unknown" icon="question" title="Outcome unknown" isAlert>
            {state.error.message}. It may have taken effect. Check the record first.{' '}
            {hasKey
              ? 'A repeat from this dialog is the same request, so nothing happens twice. Do not repeat it with another key: do not open the dialog again.'
              : 'Do not repeat it before you know.'}
          </Notice>
        ) : null}
        <div className="dialog-buttons">
          <button type="button" onClick={close} disabled={isRunning}>
            {state.kind === 'unknown' ? 'Close' : 'Cancel'}
          </button>
          <button type="submit" className={isDangerous ? 'danger' : 'primary'} aria-disabled={isRunning || isFinal}>
            {isRunning ? 'Sending…' : state.kind === 'unknown' && hasKey ? 'Repeat with the same key' : verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
