import type { SingleDsn } from '../grammar/dsn.ts'
import { type GeneralForm, generalForms } from '../providers/general-forms.ts'
import {
  type AccountLimits,
  type AccountLimitsDescription,
  type PasswordsEnd,
  variantsOf,
} from '../providers/provider.ts'
import {
  commonFields,
  type FieldDescription,
  type FormVariant,
  type StepDescription,
} from '../providers/provider-form.ts'
import { findProviderByHost, findScheme, providers } from '../providers/registry.ts'
import { membersMax, type ParseDsnOptions } from './parse-dsn.ts'

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

/** A variant of a form: its description, and what reads and writes its DSNs. */
export interface RegisteredVariant {
  /** The name of the provider's folder, or of the general form. */
  readonly provider: string
  readonly description: VariantDescription
  readonly variant: FormVariant
  /** The host of a DSN without a host field. */
  readonly standardHost: string
}

/** A form and its variants. */
interface RegisteredForm {
  readonly description: ProviderDescription
  readonly needs: GeneralForm['needs']
  readonly variants: readonly RegisteredVariant[]
}

interface FormSource extends GeneralForm {
  readonly link?: string
  readonly accountLimits?: readonly AccountLimits[] | undefined
  readonly passwordsEnd?: PasswordsEnd | undefined
}

const sources: readonly FormSource[] = [
  ...generalForms,
  ...providers.map((provider) => ({
    ...provider,
    ...provider.form,
    title: provider.form.title ?? provider.title,
    variants: variantsOf(provider),
  })),
]
const schemesOfVariants = new Set(
  sources.flatMap(({ variants }) => variants.map(({ scheme }) => scheme)),
)

const unlimited: Omit<AccountLimitsDescription, 'title' | 'link'> = {
  perSecond: null,
  perMinute: null,
  perDay: null,
  perMonth: null,
  connectionsMax: null,
}

const titles: Readonly<Record<string, string>> = {
  api: 'HTTPS API',
  smtp: 'SMTP',
  smtps: 'SMTP with TLS from the start',
  sandbox: 'Sandbox',
}

/** Every form: the general ones, then the providers. */
const forms: readonly RegisteredForm[] = sources.map(registerForm)

function registerForm(source: FormSource): RegisteredForm {
  const { name, title, link = null, isList = false, accountLimits = [] } = source
  const variants = source.variants.map((variant) => registerVariant(variant, source))
  return {
    needs: source.needs,
    variants,
    description: {
      name,
      title,
      kind: isList ? 'list' : link === null ? 'general' : 'provider',
      link,
      membersMax: isList ? membersMax : 0,
      variants: variants.map(({ description }) => description),
      accountLimits: accountLimits.map((limits) => ({ ...unlimited, ...limits })),
    },
  }
}

function registerVariant(variant: FormVariant, source: FormSource): RegisteredVariant {
  const { scheme, fields, steps = [], name = scheme.split('+').at(-1) ?? scheme } = variant
  const { kind, names = [] } = findScheme(scheme)?.scheme ?? {}
  const ownNames = new Set(fields.map((field) => field.name))
  const common = kind === 'smtp' || kind === 'api' ? commonFields(kind) : []
  const { passwordsEnd: end } = source
  return {
    provider: source.name,
    variant,
    standardHost: kind === 'null' ? 'null' : kind === 'inbox' ? 'local' : 'default',
    description: {
      name,
      title: variant.title ?? titles[name] ?? name,
      scheme,
      schemes: [scheme, ...names.filter((alias) => !schemesOfVariants.has(alias))],
      link: variant.link ?? source.link ?? null,
      // The log-in of the other variants ends.
      note: scheme === end?.oauthScheme ? null : (end?.sentence ?? null),
      fields: [...fields, ...common.filter((field) => !ownNames.has(field.name))],
      steps: steps.map((step) => ({ link: null, lines: [], shell: null, ...step })),
    },
  }
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
  return forms.filter(isAllowed).map(({ description }) => description)
}

/** Finds a form by its name. */
export function findForm(name: string): RegisteredForm | undefined {
  return forms.find(({ description }) => description.name === name)
}

/** Finds the variant of a DSN; undefined for an unknown scheme. */
export function findVariantOf(dsn: SingleDsn): RegisteredVariant | undefined {
  const { scheme, host } = dsn
  const registered = findScheme(scheme)
  if (registered === undefined) return undefined
  // A provider without a scheme has its own form for `smtp://` to its hosts.
  const owner = registered.provider ?? findProviderByHost(host)
  return (
    findByScheme(findForm(owner?.name ?? '')?.variants ?? [], dsn) ??
    findByScheme(
      generalForms.flatMap(({ name }) => findForm(name)?.variants ?? []),
      dsn,
    )
  )
}

function findByScheme(
  variants: readonly RegisteredVariant[],
  { scheme, options }: SingleDsn,
): RegisteredVariant | undefined {
  const hasOption = (name: string) => (options.get(name)?.value ?? '') !== ''
  const ofScheme = variants.filter(({ variant }) => variant.scheme === scheme)
  return (
    ofScheme.find(({ variant: { distinctOption: name = '' } }) => hasOption(name)) ??
    ofScheme[0] ??
    variants.find(({ variant }) => {
      const names = findScheme(variant.scheme)?.scheme.names ?? []
      return names.includes(scheme)
    })
  )
}
