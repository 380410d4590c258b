import { useId, type ReactNode } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly isOptional?: boolean;
  /** Give these to the input: they tie label, hint and error to it. */
  readonly children: (tied: { readonly id: string; readonly 'aria-describedby': string; readonly 'aria-invalid': boolean }) => ReactNode;
}

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
