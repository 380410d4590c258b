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
  type ConfigurationForecast,
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
import { Question } from './question.pipe';
import { Reference } from './read-action';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const IsDigest = (): PropertyDecorator => optional(Matches(/^[0-9a-f]{64}$/, { message: 'digest must be 64 hexadecimal digits' }));

class ForecastRequest {
  /** Of an applied configuration. Absent: the newest with a what-if. */
  @Reference()
  @IsDigest()
  readonly digest?: string;
}

/** Makes every process take its configuration file. */
class ApplyConfigurationRequest extends ReasonedAction {
  /** The digest of an earlier check, if the file must not have changed since. */
  @Reference()
  @IsDigest()
  readonly digest?: string;

  /** The id of a kept what-if of this process, made with the rules of the file: the reason of a change of rules. */
  @Reference()
  @optional(Matches(UUID, { message: 'whatIf must be the id of a what-if' }))
  readonly whatIf?: string;

  /** An admin acts without the approval that the configuration requires. Raises an alarm. */
  @alone()
  readonly alone?: boolean;
}

interface Applied {
  readonly isApplied: boolean;
  readonly digest: string;
}

const WHAT_IF_ERRORS: Readonly<Partial<Record<ApplyingConfiguration['reason'], string>>> = {
  'unknown-what-if': 'this process has no such what-if',
  'unfinished-what-if': 'the what-if has no whole result: wait for its end, or start it again',
  'what-if-of-other-rules': 'the what-if has other rules than the file: start one with the changed rules of the file',
};

const errorOf = ({ reason, checked }: ApplyingConfiguration): string => {
  const whatIfError = WHAT_IF_ERRORS[reason];
  if (whatIfError !== undefined) return whatIfError;
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
   * What a what-if expected of an applied configuration, with the entry points and the times at which to count what happened
   * @answer 200 `expected.ends` counts past orders as they would end
   * @answer 404 No applied configuration has a what-if
   */
  @Get('forecast')
  @OperatorRequest('configuration-forecast')
  async forecast(@Question(ForecastRequest) { digest }: ForecastRequest): Promise<HttpReply<ConfigurationForecast>> {
    const found = await this.configurations.forecast(digest);
    const error = 'no what-if was the reason of this configuration';
    return found === undefined ? HttpReply.json(HttpStatus.NOT_FOUND, { error }) : HttpReply.json(HttpStatus.OK, found);
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
    const { reason: text, alone: isAlone = false, digest: asked, whatIf } = message;
    const wish = {
      action: 'apply-configuration' as const,
      target: CONFIGURATION_TARGET,
      configuration: present({ digest: asked, whatIf }),
    };
    const applying = await this.fourEyes.perform(wish, { reason: text, isAlone }, actingFor(operator, message));
    if (isUnderApproval(applying)) return approvalReply(applying);
    const { reason, checked } = applying;
    if (checked.digest === undefined || (reason !== 'applied' && reason !== 'in-force'))
      return HttpReply.json(HttpStatus.CONFLICT, { error: errorOf(applying) });
    return HttpReply.json(HttpStatus.OK, { isApplied: reason === 'applied', digest: checked.digest });
  }
}
