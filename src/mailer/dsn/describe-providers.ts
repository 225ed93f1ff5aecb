import { forms, type RegisteredForm, schemesOf } from '../providers/form-registry.ts'
import type { AccountLimits } from '../providers/provider.ts'
import {
  type FieldChoice,
  type FieldType,
  type FormField,
  isRequired,
  type SetupStep,
} from '../providers/provider-form.ts'
import { membersMax, type ParseDsnOptions } from './parse-dsn.ts'

/**
 * One field of a form.
 * @example
 * ```ts
 * const isMissing = ({ name, required }: FieldDescription, values: Record<string, string>) =>
 *   required && values[name] === undefined
 * ```
 */
export interface FieldDescription {
  /** `user`, `password`, `host`, `port`, or the name of an option. */
  readonly name: string
  readonly label: string
  readonly type: FieldType
  readonly required: boolean
  /** Whether most people leave it out. */
  readonly advanced: boolean
  readonly help: string | null
  /** A sample value. */
  readonly example: string
  /** What applies when the field is empty. */
  readonly default: string | null
  /** Common values of a `select`; others may be valid, too. */
  readonly options: readonly FieldChoice[]
}

/**
 * A step of the set-up at the provider.
 * @example
 * ```ts
 * const isForTerminal = ({ shell, lines }: StepDescription) => shell !== null && lines.length > 0
 * ```
 */
export interface StepDescription {
  readonly text: string
  /** The page where it is done. */
  readonly link: string | null
  /** What to copy: a command or a value each. `{name}` stands for the value of the field `name`. */
  readonly lines: readonly string[]
  /** The shell of the commands: quote the values for it. Null if the lines are values to paste. */
  readonly shell: 'powershell' | null
}

/**
 * One way to send through a provider.
 * @example
 * ```ts
 * const isApi = ({ name }: VariantDescription) => name === 'api'
 * ```
 */
export interface VariantDescription {
  /** `api`, `smtp`, `sandbox`, `oauth`, `serviceAccount`, or the scheme of a general form. */
  readonly name: string
  readonly title: string
  /** The scheme of its DSNs. */
  readonly scheme: string
  /** All schemes that have this form, including aliases. */
  readonly schemes: readonly string[]
  /** Where its credentials are found; null for a server of your own. */
  readonly link: string | null
  /** What to know before choosing it, such as until when it works. */
  readonly note: string | null
  readonly fields: readonly FieldDescription[]
  /** What to set up at the provider, in order; empty where there is only a key to copy. */
  readonly steps: readonly StepDescription[]
}

/**
 * What a provider lets one kind of account send, in recipients. Null is not limited, or not published.
 * @example
 * ```ts
 * const isDaily = ({ perDay }: AccountLimitsDescription) => perDay !== null
 * ```
 */
export interface AccountLimitsDescription {
  /** The kind of account: `Sandbox`, `Free plan`. */
  readonly title: string
  readonly perSecond: number | null
  readonly perMinute: number | null
  readonly perDay: number | null
  readonly perMonth: number | null
  readonly connectionsMax: number | null
  /** The page of the provider with these numbers. */
  readonly link: string
}

/**
 * A provider, or a general form such as `smtp` and `failover`, and what a person fills in for it.
 * @example
 * ```ts
 * const labels = ({ variants }: ProviderDescription) =>
 *   variants.flatMap(({ fields }) => fields.map(({ label }) => label))
 * ```
 */
export interface ProviderDescription {
  readonly name: string
  readonly title: string
  /** `list`: its members are other transports. */
  readonly kind: 'provider' | 'general' | 'list'
  /** Where the credentials are found; null for a general form. */
  readonly link: string | null
  /** How many members a list may have; 0 for a single transport. */
  readonly membersMax: number
  /** At least one; the first is the default. */
  readonly variants: readonly VariantDescription[]
  /** The limits of its kinds of accounts, as it publishes them. */
  readonly accountLimits: readonly AccountLimitsDescription[]
}

/**
 * Describes every provider and general form that the options allow.
 * @example
 * ```ts
 * const titles = describeProviders().map(({ title }) => title)
 * ```
 */
export function describeProviders(
  options: Pick<ParseDsnOptions, 'hasCommand' | 'hasInbox'> = {},
): ProviderDescription[] {
  const isAllowed = ({ needs }: RegisteredForm) =>
    needs === undefined || options[needs === 'command' ? 'hasCommand' : 'hasInbox'] === true
  return forms.filter(isAllowed).map(describeForm)
}

function describeForm(form: RegisteredForm): ProviderDescription {
  const { name, title, isList, variants, accountLimits } = form
  const link = form.link ?? null
  return {
    name,
    title,
    kind: isList ? 'list' : link === null ? 'general' : 'provider',
    link,
    membersMax: isList ? membersMax : 0,
    variants: variants.map((each) => ({
      name: each.name,
      title: each.title,
      scheme: each.variant.scheme,
      schemes: schemesOf(each),
      link: each.variant.link ?? link,
      note: each.note ?? null,
      fields: each.fields.map(describeField),
      steps: (each.variant.steps ?? []).map(describeStep),
    })),
    accountLimits: accountLimits.map(describeLimits),
  }
}

function describeLimits(limits: AccountLimits): AccountLimitsDescription {
  return {
    title: limits.title,
    perSecond: limits.perSecond ?? null,
    perMinute: limits.perMinute ?? null,
    perDay: limits.perDay ?? null,
    perMonth: limits.perMonth ?? null,
    connectionsMax: limits.connectionsMax ?? null,
    link: limits.link,
  }
}

function describeStep({ text, link, lines, shell }: SetupStep): StepDescription {
  return { text, link: link ?? null, lines: lines ?? [], shell: shell ?? null }
}

function describeField(field: FormField): FieldDescription {
  const { name, label, type, help, example, choices } = field
  return {
    name,
    label,
    type,
    required: isRequired(field),
    advanced: field.isAdvanced === true,
    help: help ?? null,
    example,
    default: field.default ?? null,
    options: choices ?? [],
  }
}
