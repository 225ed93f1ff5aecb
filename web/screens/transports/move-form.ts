import type { EndingLogin } from '../../records/ending-login.tsx'
import type { Provider } from '../../records/providers.tsx'
import { createForm, type DsnForm } from './use-dsn.ts'

/** What the old log-in has and the new one does not keep. */
const loginFields = ['user', 'password', 'accessToken']

/**
 * Replaces the members of a DSN whose log-in ends by forms of OAuth. What is not of the log-in is kept, such as the rate, and the
 * old user name is proposed as mailbox.
 */
export function moveToOAuth(
  form: DsnForm,
  logins: readonly EndingLogin[],
  providers: readonly Provider[],
): DsnForm {
  return logins.reduce((moved, { member, oauthScheme }) => {
    const [provider] = oauthProviders(providers, oauthScheme)
    const variant = provider?.variants[0]
    if (provider === undefined || variant === undefined) return moved
    const old = memberAt(moved, member).fields
    const names = variant.fields.map(({ name }) => name)
    const kept = names.filter((name) => name in old && !loginFields.includes(name))
    const user = String(old['user'] ?? '')
    const isMailbox = names.includes('mailbox') && user.includes('@')
    const fields = Object.fromEntries([
      ...kept.map((name) => [name, old[name] ?? ''] as const),
      ...(isMailbox ? [['mailbox', user] as const] : []),
    ])
    return replaceMember(moved, member, { ...createForm(provider.name, variant.name), fields })
  }, form)
}

/** The provider of a scheme for OAuth, with only the variants of this scheme; none where it does not exist. */
export function oauthProviders(providers: readonly Provider[], scheme: string): Provider[] {
  return providers.flatMap((provider) => {
    const variants = provider.variants.filter((variant) => variant.scheme === scheme)
    return variants.length === 0 ? [] : [{ ...provider, variants }]
  })
}

/** The path of a member: the names of its fields come after it. */
export function pathOf(member: readonly number[]): string {
  return member.map((index) => `members.${index}.`).join('')
}

export function memberAt(form: DsnForm, member: readonly number[]): DsnForm {
  return member.reduce((inner, index) => inner.members[index] ?? inner, form)
}

export function replaceMember(form: DsnForm, member: readonly number[], next: DsnForm): DsnForm {
  const [index, ...rest] = member
  const inner = index === undefined ? undefined : form.members[index]
  if (index === undefined || inner === undefined) return next
  return { ...form, members: form.members.with(index, replaceMember(inner, rest, next)) }
}
