import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import type { EndingLogin } from '../../records/ending-login.tsx'
import { type Provider, ProviderName } from '../../records/providers.tsx'
import { dsnWords as texts } from '../../words/dsn-form.ts'
import { createForm, type DsnEditing, type DsnForm } from './use-dsn.ts'

/** What the fields of a transport, and those of its members, have in common. */
export interface DsnFieldsProps {
  /** Those to choose from; there is no choice of one. */
  providers: readonly Provider[]
  /** Undefined until a provider is chosen. */
  form: DsnForm | undefined
  /** Before the names of its fields: `members.0.` for a member. */
  path: string
  /** Whether the DSN is still being read into the fields. */
  isReading?: boolean
  faultOf: DsnEditing['faultOf']
  /** Those that the page shows; what they say is not repeated. */
  endingLogins?: readonly EndingLogin[]
  onForm: (form: DsnForm, path?: string) => void
}

/** Shows the fields of a member. */
type MemberContent = (props: DsnFieldsProps) => ComponentChildren

/** The ordered members of a failover or round robin: add, remove, move by buttons or by Alt and the arrow keys. */
export function DsnMembers({
  form,
  membersMax,
  content,
  onForm,
  ...shared
}: DsnFieldsProps & { form: DsnForm; membersMax: number; content: MemberContent }) {
  const { providers, path, faultOf } = shared
  const { members } = form
  const list = useRef<HTMLOListElement>(null)
  const [announced, setAnnounced] = useState('')
  const focusNext = useFocusNext(list)
  const set = (next: readonly DsnForm[], typed?: string) =>
    onForm({ ...form, members: next }, typed)
  const titleOf = ({ provider }: DsnForm) =>
    providers.find(({ name }) => name === provider)?.title ?? texts.noProvider
  const move = (index: number, step: -1 | 1) => {
    const target = index + step
    const moved = members[index]
    if (moved === undefined || target < 0 || target >= members.length) return
    set(members.toSpliced(index, 1).toSpliced(target, 0, moved))
    setAnnounced(texts.moved(titleOf(moved), target + 1, members.length))
    focusNext(moved.key, step === -1 ? 'up' : 'down')
  }
  const add = () => {
    const member = createForm('smtp', 'smtp')
    set([...members, member])
    focusNext(member.key, 'fields')
  }
  const remove = (index: number) => {
    set(members.toSpliced(index, 1))
    setAnnounced(texts.removed(index + 1))
    const next = members[index + 1] ?? members[index - 1]
    if (next !== undefined) focusNext(next.key, 'remove')
  }
  const fault = faultOf(`${path}members`)
  return (
    <div class="stack">
      <h2>{texts.members}</h2>
      {fault !== undefined && <p class="fault-text small">{fault}</p>}
      <ol class="members" ref={list}>
        {members.map((member, index) => (
          <li
            key={member.key}
            data-key={member.key}
            onKeyDown={(event) => {
              const step = event.altKey ? steps[event.key] : undefined
              if (step === undefined) return
              event.preventDefault()
              event.stopPropagation()
              move(index, step)
            }}
          >
            <Member
              {...shared}
              content={content}
              form={member}
              path={`${path}members.${index}.`}
              place={index + 1}
              title={titleOf(member)}
              onForm={(next, typed) => set(members.with(index, next), typed)}
            />
            <div class="row">
              {(['up', 'down', 'remove'] as const).map((part) => (
                <Button
                  key={part}
                  data-part={part}
                  kind="plain"
                  aria-label={texts.parts[part].of(index + 1)}
                  disabled={index === { up: 0, down: members.length - 1, remove: -1 }[part]}
                  onClick={() => (part === 'remove' ? remove(index) : move(index, moves[part]))}
                >
                  {texts.parts[part].action}
                </Button>
              ))}
            </div>
          </li>
        ))}
      </ol>
      <p class="hidden-text" role="status">
        {announced}
      </p>
      <div class="row">
        <Button onClick={add} disabled={members.length >= membersMax}>
          {texts.addMember}
        </Button>
        <span class="quiet small">{texts.membersHelp(form.provider, membersMax)}</span>
      </div>
    </div>
  )
}

/** One member: its provider and server. Its fields are open while it is new or something is missing or wrong. */
function Member({
  place,
  title,
  content: Content,
  ...fields
}: DsnFieldsProps & { form: DsnForm; place: number; title: string; content: MemberContent }) {
  const { providers, form, path, faultOf } = fields
  const known = providers
    .find(({ name }) => name === form.provider)
    ?.variants.find(({ name }) => name === form.variant)?.fields
  const isIncomplete = known?.some(({ name, required }) => required && !form.fields[name]) ?? true
  const [isOpen] = useState(isIncomplete)
  const isFaulty = known?.some(({ name }) => faultOf(`${path}${name}`) !== undefined) ?? false
  const { host, port } = form.fields
  return (
    <details class="member" open={isOpen || isFaulty}>
      <summary>
        {texts.place(place)} <ProviderName name={form.provider} title={title} />{' '}
        <span class="quiet small mono">{[host, port].filter(Boolean).join(':')}</span>
      </summary>
      <Content {...fields} />
    </details>
  )
}

const moves = { up: -1, down: 1 } as const
const steps: Readonly<Record<string, -1 | 1>> = { ArrowUp: -1, ArrowDown: 1 }

/** Focuses a part of a member once the list is drawn again: browsers drop the focus of what is moved. */
function useFocusNext(list: { current: HTMLOListElement | null }) {
  const [target, setTarget] = useState<{ key: number; part: string }>()
  useEffect(() => {
    if (target === undefined) return
    const item = list.current?.querySelector(`:scope > [data-key="${target.key}"]`)
    const find = (selector: string) => item?.querySelector<HTMLElement>(selector)
    const part = find(`[data-part="${target.part}"]:not(:disabled)`)
    const other = find(target.part === 'fields' ? 'select' : '[data-part]:not(:disabled)')
    ;(part ?? other)?.focus()
  }, [target])
  return (key: number, part: string) => setTarget({ key, part })
}
