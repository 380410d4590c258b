import type { ReactNode } from 'react';
import { Page } from '../ui/page';

export const WhatIf = (): ReactNode => <Page title="What-if">{null}</Page>;
