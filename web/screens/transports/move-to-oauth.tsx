import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { HelpLink, Notice } from '../../design/feedback.tsx'
import { useFirstFocus } from '../../design/menu.tsx'
import { showToast } from '../../lib/toasts.ts'
import { useAddress } from '../../lib/use-address.ts'
import { type Saved, useForm } from '../../lib/use-form.ts'
import type { EndingLogin } from '../../records/ending-login.tsx'
import type { Provider } from '../../records/providers.tsx'
import { words } from '../../words/common.ts'
import { transportWords } from '../../words/transports.ts'
import { type Draft, failedTestOf, saveTransport } from './draft.ts'
import { DsnFields } from './dsn-fields.tsx'
import { TestRecipient } from './parts.tsx'
import { TestReport } from './test-report.tsx'
import { createForm, type DsnForm, useDsn } from './use-dsn.ts'

const texts = {
  action: 'Move to OAuth',
  unsaved: 'Save or discard your changes first.',
  title: (name: string) => `Move "${name}" to OAuth`,
  help: 'The name, assignments and limits stay. The new log-in is tested while the old one stays in use, and replaces it only if the test passes.',
  moved: (name: string) => `Transport "${name}" logs in with OAuth.`,
} as const

interface MoveToOAuthProps {
  id: number
  saved: Saved<Draft>
  /** Those of the saved DSN that end. */
  logins: readonly EndingLogin[]
  providers: readonly Provider[]
  onMoved: () => void
  onClose: () => void
}

/**
 * Asks for the values of OAuth for each log-in that ends. The new DSN is tested while the old one stays in use, and replaces it only
 * if the test passes.
 */
function MoveToOAuth({ id, saved, logins, providers, onMoved, onClose }: MoveToOAuthProps) {
  const { name, mailerDsn, testedEmailFrom } = saved.draft
  const running = useRef<AbortController | undefined>(undefined)
  const [isMoved, setMoved] = useState(false)
  const move = useForm<{ mailerDsn: string }>({
    saved: { draft: { mailerDsn }, etag: saved.etag },
    prepare: async () => ({ mailerDsn: await editing.settle() }),
    async save(values, { etag }) {
      const controller = new AbortController()
      running.current = controller
      const { body } = await saveTransport({ id, values, etag }, controller.signal)
      showToast(texts.moved(body.name))
      onMoved()
      onClose()
      return { draft: values, etag }
    },
  })
  const { fault, isBusy } = move
  const editing = useDsn({ id, dsn: move.draft.mailerDsn, onDsn: move.set('mailerDsn') })
  const { form } = editing
  useEffect(() => () => running.current?.abort(), [])
  useEffect(() => {
    if (form === undefined || isMoved) return
    editing.setForm(moveToOAuth(form, logins, providers))
    setMoved(true)
  }, [form])
  const fields = useFirstFocus<HTMLFormElement>(isMoved, 'input:invalid')
  const report = failedTestOf(fault)
  return (
    <Dialog title={texts.title(name)} onClose={onClose} size="medium">
      <form ref={fields} class="stack" onSubmit={move.submit}>
        <p>
          {texts.help} <HelpLink page="move-to-oauth" />
        </p>
        {isMoved &&
          form !== undefined &&
          logins.map(({ member, label, oauthScheme }) => (
            <fieldset key={member.join()} class="member">
              <legend>{label}</legend>
              <DsnFields
                providers={oauthProviders(providers, oauthScheme)}
                form={memberAt(form, member)}
                path={pathOf(member)}
                faultOf={editing.faultOf}
                onForm={(next, path) => editing.setForm(replaceMember(form, member, next), path)}
              />
            </fieldset>
          ))}
        {fault !== undefined && report === undefined && <Notice tone="bad">{fault.message}</Notice>}
        {report !== undefined && <TestReport result={report} message={fault?.message} />}
        <TestRecipient testedEmailFrom={testedEmailFrom} />
        <div class="row dialog-actions">
          {isBusy ? (
            <Button key="stop" onClick={() => running.current?.abort()}>
              {transportWords.test.cancel}
            </Button>
          ) : (
            <Button key="close" onClick={onClose}>
              {words.cancel}
            </Button>
          )}
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={!isMoved}>
            {transportWords.editor.testAndSave}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Opens the dialog that moves a transport to OAuth; `?move=oauth` opens it with the page. */
export function MoveButton({
  isDisabled,
  ...move
}: Omit<MoveToOAuthProps, 'onClose'> & {
  /** While the form of the page has unsaved changes. */
  isDisabled: boolean
}) {
  const isAsked = useAddress().query['move'] === 'oauth'
  const [isOpen, setOpen] = useState(isAsked)
  return (
    <div class="row">
      <Button disabled={isDisabled} onClick={() => setOpen(true)}>
        {texts.action}
      </Button>
      {isDisabled && <span class="small">{texts.unsaved}</span>}
      {isOpen && <MoveToOAuth {...move} onClose={() => setOpen(false)} />}
    </div>
  )
}

/** What the old log-in has and the new one does not keep. */
const loginFields = ['user', 'password', 'accessToken']

/**
 * Replaces the members of a DSN whose log-in ends by forms of OAuth. What is not of the log-in is kept, such as the rate, and the
 * old user name is proposed as mailbox.
 */
function moveToOAuth(
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
function oauthProviders(providers: readonly Provider[], scheme: string): Provider[] {
  return providers.flatMap((provider) => {
    const variants = provider.variants.filter((variant) => variant.scheme === scheme)
    return variants.length === 0 ? [] : [{ ...provider, variants }]
  })
}

/** The path of a member: the names of its fields come after it. */
function pathOf(member: readonly number[]): string {
  return member.map((index) => `members.${index}.`).join('')
}

function memberAt(form: DsnForm, member: readonly number[]): DsnForm {
  return member.reduce((inner, index) => inner.members[index] ?? inner, form)
}

function replaceMember(form: DsnForm, member: readonly number[], next: DsnForm): DsnForm {
  const [index, ...rest] = member
  const inner = index === undefined ? undefined : form.members[index]
  if (index === undefined || inner === undefined) return next
  return { ...form, members: form.members.with(index, replaceMember(inner, rest, next)) }
}
