import type { ReactNode } from 'react';
import { useReading } from '../app/reading';
import { port } from '../port';
import { Page } from '../ui/page';
import { Result } from '../ui/states';

export const Overview = (): ReactNode => {
  const overview = useReading({ key: ['/overview'], ask: (signal) => port.GET('/overview', { signal }), live: 'all' });
  return (
    <Page title="Overview">
      <Result query={overview}>{({ at }) => <p>{at}</p>}</Result>
    </Page>
  );
};
