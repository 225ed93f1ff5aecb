import type { SingleDsn } from '../grammar/dsn.ts'
import { type GeneralForm, generalForms } from './general-forms.ts'
import type { AccountLimits, Provider } from './provider.ts'
import { commonFields, type FormField, type FormVariant } from './provider-form.ts'
import { findProvider, findProviderByHost, findScheme, providers } from './registry.ts'

/** A variant of a form, with the names and the fields that it has in the API. */
export interface RegisteredVariant {
  /** The name of the provider's folder, or of the general form. */
  readonly provider: string
  /** `api`, `smtp`, `sandbox`, or the scheme of a general form. */
  readonly name: string
  readonly title: string
  readonly variant: FormVariant
  /** What to know before choosing it: until when its log-in works. */
  readonly note: string | undefined
  /** Its own fields, then the common ones. */
  readonly fields: readonly FormField[]
  /** The host of a DSN without a host field. */
  readonly standardHost: string
  readonly isList: boolean
}

/** A form and its variants. */
export interface RegisteredForm {
  readonly name: string
  readonly title: string
  readonly link: string | undefined
  readonly isList: boolean
  readonly needs: GeneralForm['needs']
  readonly variants: readonly RegisteredVariant[]
  readonly accountLimits: readonly AccountLimits[]
}

/** Offered before the others: most people look for them. */
const firstProviders = ['office365', 'gmail']

const titles: Readonly<Record<string, string>> = {
  api: 'HTTPS API',
  smtp: 'SMTP',
  smtps: 'SMTP with TLS from the start',
  sandbox: 'Sandbox',
}

/** Every form: the general ones, then the first providers, then the others by name. */
export const forms: readonly RegisteredForm[] = [
  ...generalForms.map(
    (form): RegisteredForm => ({
      ...form,
      link: undefined,
      isList: form.isList ?? false,
      needs: form.needs,
      variants: form.variants.map((variant) =>
        registerVariant(form.name, variant, { isList: form.isList ?? false }),
      ),
      accountLimits: [],
    }),
  ),
  ...inOrder(providers).map((provider): RegisteredForm => {
    const { name, title, form } = provider
    return {
      name,
      title: form.title ?? title,
      link: form.link,
      isList: false,
      needs: undefined,
      variants: form.variants.map((variant) =>
        registerVariant(name, variant, { isList: false, note: noteOf(provider, variant) }),
      ),
      accountLimits: provider.accountLimits ?? [],
    }
  }),
]

function inOrder(all: readonly Provider[]): Provider[] {
  const first = firstProviders.flatMap((name) => findProvider(name) ?? [])
  return [...first, ...all.filter((provider) => !first.includes(provider))]
}

/** Returns when the log-in of a variant ends; undefined for OAuth. */
function noteOf({ passwordsEnd: end }: Provider, { scheme }: FormVariant): string | undefined {
  return scheme === end?.oauthScheme ? undefined : end?.sentence
}

function registerVariant(
  provider: string,
  variant: FormVariant,
  { isList, note }: Pick<RegisteredVariant, 'isList'> & { note?: string | undefined },
): RegisteredVariant {
  const name = variant.name ?? variant.scheme.split('+').at(-1) ?? variant.scheme
  const kind = findScheme(variant.scheme)?.scheme.kind
  const ownNames = new Set(variant.fields.map((field) => field.name))
  const common = kind === 'smtp' || kind === 'api' ? commonFields(kind) : []
  return {
    provider,
    name,
    title: variant.title ?? titles[name] ?? name,
    variant,
    note,
    fields: [...variant.fields, ...common.filter((field) => !ownNames.has(field.name))],
    standardHost: kind === 'null' ? 'null' : kind === 'inbox' ? 'local' : 'default',
    isList,
  }
}

/** Finds a form by its name. */
export function findForm(name: string): RegisteredForm | undefined {
  return forms.find((form) => form.name === name)
}

/** Returns the names of all schemes of a variant; its own is the first. */
export function schemesOf({ variant }: RegisteredVariant): string[] {
  const names = findScheme(variant.scheme)?.scheme.names ?? []
  const others = names.filter((name) => name !== variant.scheme && !isOfOtherVariant(name))
  return [variant.scheme, ...others]
}

function isOfOtherVariant(scheme: string): boolean {
  return forms.some((form) => form.variants.some(({ variant }) => variant.scheme === scheme))
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
