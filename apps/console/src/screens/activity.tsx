import type { ReactNode } from 'react';
import { Page } from '../ui/page';

export const Activity = (): ReactNode => <Page title="Configuration and activity">{null}</Page>;
