import Type from 'typebox'
import type { Caller } from '../../../kit/caller.ts'
import type { Clock } from '../../../kit/clock.ts'
import { dayOf } from '../../../kit/iso-date.ts'
import type { Log } from '../../../kit/log.ts'
import { blockList, isListed } from '../../../kit/networks.ts'
import { nullable, validationError } from '../../http/index.ts'
import { jsonField, plainField } from '../../resource/index.ts'

const networksMax = 100

/** The fields `networks` and `validUntil` of users, OAuth clients and Mautics. */
export const loginRuleFields = {
  networks: jsonField(
    Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 64,
          format: 'network',
          fault: 'must be an address or a network, such as 203.0.113.9 or 2001:db8::/32',
        }),
        {
          maxItems: networksMax,
          description:
            'From where it may log in: addresses and networks (CIDR), such as `203.0.113.9` and `2001:db8::/32`. Default: empty, from everywhere.',
        },
      ),
    ),
    Type.Array(Type.String()),
    [],
  ),
  validUntil: plainField(
    Type.Optional(
      nullable(Type.String(), {
        format: 'date',
        fault: 'must be a date, such as 2026-12-31',
        description:
          'The last day (UTC) on which it may log in, such as `2026-12-31`. Default: null, no end.',
      }),
    ),
    nullable(Type.String()),
    { fallback: null },
  ),
}

/** The columns of these fields. */
export interface LoginRules {
  /** JSON: addresses and networks; empty for any. */
  networks: string
  /** A day (UTC), such as `2026-12-31`. */
  valid_until: string | null
}

/** Returns the rule that forbids a log-in; undefined where it is allowed. Without an address, only the last day counts. */
export function findBrokenRule(
  { networks, valid_until: lastDay }: LoginRules,
  { address, now }: { address: string | undefined; now: number },
): 'networks' | 'validUntil' | undefined {
  if (lastDay !== null && lastDay < dayOf(now)) return 'validUntil'
  if (networks === '[]' || address === undefined) return undefined
  return isListed(blockList(JSON.parse(networks) as string[]), address) ? undefined : 'networks'
}

/** Checks log-ins by the rules of who logs in. The log says which rule forbids one: the answer is that to a wrong password. */
export class LoginRuleCheck {
  readonly #clock: Clock
  readonly #log: Log

  constructor(clock: Clock, log: Log) {
    this.#clock = clock
    this.#log = log
  }

  /** Whether someone may log in now. `caller` is for the log. Without an address no one logs in: only the last day counts, and nothing is logged. */
  mayLogIn(caller: string, rules: LoginRules, address: string | undefined): boolean {
    const rule = findBrokenRule(rules, { address, now: this.#clock.now() })
    if (rule !== undefined && address !== undefined)
      this.#log.warn({ caller, address, rule }, 'log-in refused')
    return rule === undefined
  }
}

/** Throws an AppError (`invalid`) for rules that callers set on themselves, and that forbid their next request. */
export function checkOwnRules(rules: LoginRules, { address }: Caller, now: number): void {
  const rule = findBrokenRule(rules, { address, now })
  if (rule === 'networks')
    throw validationError({ networks: [`must have ${address}, from where you log in yourself`] })
  if (rule === 'validUntil')
    throw validationError({ validUntil: ['must not be over: it ends your own log-in'] })
}
