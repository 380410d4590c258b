import { useQuery } from '@tanstack/react-query';
import type { RouteComponent } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import { Page } from '../ui/page';
import { Notice, Skeleton } from '../ui/states';

/** A browser does not ask twice for a script that failed, so only a new page can. Without an answer the frame stays. */
const reloadIfAnswered = (): void =>
  void fetch(location.href, { method: 'HEAD' }).then(
    () => location.reload(),
    () => undefined,
  );

/** A screen whose script is loaded when it is first opened. The router's own function reloads at once, and leaves nothing while offline. */
export const lazyScreen = <Name extends string>(load: () => Promise<Readonly<Record<Name, ComponentType>>>, name: Name): RouteComponent => {
  const loaded = async (): Promise<{ readonly Screen: ComponentType }> => ({ Screen: (await load())[name] });
  return (): ReactNode => {
    const { data, error } = useQuery({ queryKey: ['screen', name], queryFn: loaded, staleTime: Infinity, gcTime: Infinity, retry: false });
    if (data !== undefined) return <data.Screen />;
    if (error === null) return <Skeleton />;
    return (
      <Page title="Not loaded">
        <Notice
          tone="warn"
          icon="warning"
          title="Offline"
          isAlert
          actions={
            <button type="button" onClick={reloadIfAnswered}>
              Try again
            </button>
          }
        >
          This screen could not be loaded, because the service did not answer.
        </Notice>
      </Page>
    );
  };
};
