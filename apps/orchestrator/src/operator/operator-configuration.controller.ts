import { Get, HttpStatus, Inject, Post, UseGuards } from '@nestjs/common';
import { Matches } from 'class-validator';
import type { Operator } from '@app/configuration';
import { HttpReply } from '@app/http/server';
import {
  actingAlone,
  actingFor,
  CONFIGURATION_TARGET,
  ConfigurationService,
  type ApplyingConfiguration,
  type CheckedConfiguration,
  type ConfigurationStatus,
} from '@app/investigation';
import { present } from '@app/kernel';
import { Action } from './action.pipe';
import { approvalReply, isUnderApproval, type ApprovalReply } from './approval-reply';
import { FourEyes } from './four-eyes';
import { NoQuestionGuard } from './no-question.guard';
import { OperatorRoutes } from './operator.filter';
import { CurrentOperator, OperatorRequest } from './operator.guard';
import { alone, optional, ReasonedAction } from './operator.requests';
import { Reference } from './read-action';

/** Makes every process take its configuration file. */
class ApplyConfigurationRequest extends ReasonedAction {
  /** The digest of an earlier check, if the file must not have changed since. */
  @Reference()
  @optional(Matches(/^[0-9a-f]{64}$/, { message: 'digest must be 64 hexadecimal digits' }))
  readonly digest?: string;

  /** An admin acts without the approval that the configuration requires. Raises an alarm. */
  @alone()
  readonly alone?: boolean;
}

interface Applied {
  readonly isApplied: boolean;
  readonly digest: string;
}

const errorOf = ({ reason, checked }: ApplyingConfiguration): string => {
  if (reason === 'faulty') return `the file has faults: ${checked.faults.join('; ')}`;
  if (reason === 'file-changed') return 'the file has changed since the check: check it again';
  if (reason === 'configuration-moved') return 'another configuration was applied: check it again';
  return `the file cannot be taken without a restart: ${checked.needsRestart.join('; ')}`;
};

/** The file of each process stays the source of truth. */
@OperatorRoutes('configuration')
export class OperatorConfigurationController {
  constructor(
    @Inject(ConfigurationService) private readonly configurations: ConfigurationService,
    @Inject(FourEyes) private readonly fourEyes: FourEyes,
  ) {}

  /**
   * The configuration in force in this process, the last applied one, and the report of each process
   * @answer 200 Processes that have ended stay until the next change
   */
  @Get('status')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('configuration-status')
  status(): HttpReply<ConfigurationStatus> {
    return HttpReply.json(HttpStatus.OK, this.configurations.status());
  }

  /**
   * The configuration file of this process, compared with the configuration in force
   * @answer 200 Its faults, its differences with key ids in place of secrets, and what needs a restart
   */
  @Get('check')
  @UseGuards(NoQuestionGuard)
  @OperatorRequest('check-configuration')
  async check(@CurrentOperator() operator: Operator): Promise<HttpReply<CheckedConfiguration>> {
    return HttpReply.json(HttpStatus.OK, await this.configurations.check(actingAlone(operator)));
  }

  /**
   * Every process takes its configuration file without a restart, as a whole or not at all. Accepted orders keep their plan
   * @example {"reason": "Acme moves to the new acquirer", "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}
   * @answer 200 In force in this process. The others follow within seconds; the status shows which did not
   * @answer 202 It waits for the approval of a second person
   * @answer 409 Nothing was changed: the file has faults, has changed since the check, or needs a restart
   */
  @Post('apply')
  @OperatorRequest('apply-configuration')
  async apply(
    @Action(ApplyConfigurationRequest) message: ApplyConfigurationRequest,
    @CurrentOperator() operator: Operator,
  ): Promise<HttpReply<Applied> | ApprovalReply> {
    const { reason: text, alone: isAlone = false, digest: asked } = message;
    const wish = { action: 'apply-configuration' as const, target: CONFIGURATION_TARGET, configuration: present({ digest: asked }) };
    const applying = await this.fourEyes.perform(wish, { reason: text, isAlone }, actingFor(operator, message));
    if (isUnderApproval(applying)) return approvalReply(applying);
    const { reason, checked } = applying;
    if (checked.digest === undefined || (reason !== 'applied' && reason !== 'in-force'))
      return HttpReply.json(HttpStatus.CONFLICT, { error: errorOf(applying) });
    return HttpReply.json(HttpStatus.OK, { isApplied: reason === 'applied', digest: checked.digest });
  }
}
