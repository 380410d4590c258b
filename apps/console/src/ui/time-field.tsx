import { useState, type ReactNode } from 'react';
import { fieldOfInstant, instantOfField } from '../format';
import { usePreferences } from '../preferences';
import { Field } from './field';

interface TimeFieldProps {
  readonly label: string;
  /** Of the form. Its value is ISO 8601 in UTC, or empty. */
  readonly name: string;
  /** ISO 8601. */
  readonly initial?: string | undefined;
  readonly error?: string | undefined;
}

/** A time as the switch of the frame says, UTC or local. */
export const TimeField = ({ label, name, initial, error }: TimeFieldProps): ReactNode => {
  const zone = usePreferences().zone === 'local' ? 'local' : 'utc';
  const [text, setText] = useState(initial === undefined ? '' : fieldOfInstant(initial, zone));
  return (
    <Field label={`${label}, ${zone === 'local' ? 'local time' : 'UTC'}`} error={error}>
      {(tied) => (
        <>
          <input {...tied} type="datetime-local" value={text} onChange={({ currentTarget }) => setText(currentTarget.value)} />
          <input type="hidden" name={name} value={instantOfField(text, zone) ?? ''} />
        </>
      )}
    </Field>
  );
};
