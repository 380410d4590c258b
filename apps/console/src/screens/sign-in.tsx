import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { useReading } from '../app/reading';
import { signIn, takeLinkCode } from '../app/session';
import { port, PortRefusal } from '../port';
import { Field } from '../ui/field';
import { Notice } from '../ui/states';

/** Exchanges an operator's token for a session. The token is not kept. */
export const SignIn = ({ wasSignedIn }: { readonly wasSignedIn: boolean }): ReactNode => {
  const navigate = useNavigate();
  const heading = useRef<HTMLHeadingElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<string>();
  const [isSending, setSending] = useState(false);
  const { data: installation } = useReading({
    key: ['/session/installation'],
    ask: (signal) => port.GET('/session/installation', { signal }),
  });
  useEffect(() => {
    document.title = 'Sign in · Console';
    if (wasSignedIn) heading.current?.focus();
    else field.current?.focus();
  }, [wasSignedIn]);

  const send = async (token: string, ifUnknown: string): Promise<void> => {
    setSending(true);
    setError(undefined);
    try {
      await signIn(token, () => navigate({ to: '/', replace: true }));
    } catch (failure) {
      setSending(false);
      if (!(failure instanceof PortRefusal)) throw failure;
      setError(failure.status === 401 ? ifUnknown : `${failure.message}. ${failure.hint ?? ''}`);
      field.current?.select();
      field.current?.focus();
    }
  };
  useEffect(() => {
    const code = takeLinkCode();
    if (code !== undefined)
      void send(
        code,
        'This link was used before, or is older than 15 minutes. Paste the token from the file operator-token of the data folder.',
      );
  }, []);

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? '';
    if (isSending) return;
    if (token === '') {
      setError('Paste your token.');
      field.current?.focus();
      return;
    }
    void send(token, 'No operator has this token. Check that it is complete.');
  };

  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <span className="mark large" aria-hidden="true" />
        <h1 ref={heading} tabIndex={-1}>
          Sign in to the console
        </h1>
        {installation === undefined ? null : (
          <p className={`sign-in-place ${installation.environment}`}>
            <span className="environment">{installation.environment === 'production' ? 'Production' : 'Test'}</span>{' '}
            {installation.instance.replace(/^https?:\/\//, '')}, release {installation.release}
          </p>
        )}
        {wasSignedIn ? (
          <Notice tone="warn" icon="clock" title="Your session ended">
            Sign in again to continue on this page.
          </Notice>
        ) : null}
        <form noValidate onSubmit={submit} aria-busy={isSending}>
          <Field
            label="Token"
            error={error}
            hint={
              <>
                From <code>orch operator new</code>. It is exchanged for a session of at most 10 hours, and not kept in this browser.
              </>
            }
          >
            {(tied) => <input {...tied} ref={field} type="password" maxLength={256} required autoComplete="off" spellCheck={false} />}
          </Field>
          <button type="submit" className="primary" aria-disabled={isSending}>
            {isSending ? 'Signing in…' : 'Sign in'}
          </button>
        </form>
        {installation?.hasProvider === true ? (
          <a className="button" href="/session/oidc">
            Sign in with your organisation
          </a>
        ) : null}
      </div>
    </main>
  );
};
