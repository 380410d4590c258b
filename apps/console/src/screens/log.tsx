import type { ReactNode } from 'react';
import { Page } from '../ui/page';

export const Log = (): ReactNode => <Page title="Log">{null}</Page>;
