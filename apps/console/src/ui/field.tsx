import { useId, type ReactNode } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
  /** Give these to the input: they tie label, hint and error to it. */
  readonly children: (tied: { readonly id: string; readonly 'aria-describedby': string; readonly 'aria-invalid': boolean }) => ReactNode;
}

/** What a person wrote into a field of a form, trimmed. Empty if there is no such field. */
export const textIn = (fields: FormData, name: string): string => {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
};

/** A time is in a hidden field after the one that a person sees. */
export const focusField = (form: HTMLFormElement, name: string): void =>
  form.querySelector<HTMLElement>(`[name="${name}"]:not([type=hidden]), :has(+ [name="${name}"][type=hidden])`)?.focus();

/** A field with its label, hint and error. */
export const Field = ({ label, hint, error, isOptional = false, children }: FieldProps): ReactNode => {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {isOptional ? <span className="optional"> (optional)</span> : null}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint ${id}-error`, 'aria-invalid': error !== undefined })}
      <div id={`${id}-hint`} className="field-hint">
        {hint}
      </div>
      <div id={`${id}-error`} className="field-error" aria-live="polite">
        {error}
      </div>
    </div>
  );
};
