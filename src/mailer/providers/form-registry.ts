import type { SingleDsn } from '../grammar/dsn.ts'
import { type GeneralForm, generalForms } from './general-forms.ts'
import { commonFields, type FormField, type FormVariant } from './provider-form.ts'
import { findProviderByHost, findScheme, providers } from './registry.ts'

/** A variant of a form, with the names and the fields that it has in the API. */
export interface RegisteredVariant {
  /** The name of the provider's folder, or of the general form. */
  readonly provider: string
  /** `api`, `smtp`, `sandbox`, or the scheme of a general form. */
  readonly name: string
  readonly title: string
  readonly variant: FormVariant
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
}

const titles: Readonly<Record<string, string>> = {
  api: 'HTTPS API',
  smtp: 'SMTP',
  smtps: 'SMTP with TLS from the start',
  sandbox: 'Sandbox',
}

/** Every form: the general ones, then the providers by name. */
export const forms: readonly RegisteredForm[] = [
  ...generalForms.map(
    (form): RegisteredForm => ({
      ...form,
      link: undefined,
      isList: form.isList ?? false,
      needs: form.needs,
      variants: form.variants.map((variant) =>
        registerVariant(form.name, variant, form.isList ?? false),
      ),
    }),
  ),
  ...providers.map(
    ({ name, title, form }): RegisteredForm => ({
      name,
      title,
      link: form.link,
      isList: false,
      needs: undefined,
      variants: form.variants.map((variant) => registerVariant(name, variant, false)),
    }),
  ),
]

function registerVariant(
  provider: string,
  variant: FormVariant,
  isList: boolean,
): RegisteredVariant {
  const name = variant.scheme.split('+').at(-1) ?? variant.scheme
  const kind = findScheme(variant.scheme)?.scheme.kind
  const own = new Set(variant.fields.map((field) => field.name))
  const common = kind === 'smtp' || kind === 'api' ? commonFields(kind) : []
  return {
    provider,
    name,
    title: titles[name] ?? name,
    variant,
    fields: [...variant.fields, ...common.filter((field) => !own.has(field.name))],
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
export function findVariantOf({ scheme, host }: SingleDsn): RegisteredVariant | undefined {
  const registered = findScheme(scheme)
  if (registered === undefined) return undefined
  // A provider without a scheme has its own form for `smtp://` to its hosts.
  const owner = registered.provider ?? findProviderByHost(host)
  return (
    findByScheme(findForm(owner?.name ?? '')?.variants ?? [], scheme) ??
    findByScheme(
      generalForms.flatMap(({ name }) => findForm(name)?.variants ?? []),
      scheme,
    )
  )
}

function findByScheme(
  variants: readonly RegisteredVariant[],
  scheme: string,
): RegisteredVariant | undefined {
  return (
    variants.find(({ variant }) => variant.scheme === scheme) ??
    variants.find(({ variant }) => {
      const names = findScheme(variant.scheme)?.scheme.names ?? []
      return names.includes(scheme)
    })
  )
}
