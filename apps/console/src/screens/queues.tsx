import type { ReactNode } from 'react';
import { Page } from '../ui/page';

export const Queues = (): ReactNode => <Page title="Queues">{null}</Page>;
