import type { ComponentChildren } from 'preact'
import { ActionButton, ButtonLink } from '../../design/button.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice } from '../../design/feedback.tsx'
import { CheckField, choicesOf, SelectField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions } from '../../design/form-fault.tsx'
import { Card } from '../../design/page.tsx'
import { Time } from '../../design/time.tsx'
import { ask, withQuery } from '../../lib/api.ts'
import { brandDraft, brandInput } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { BrandField, brandName } from '../../records/brands.tsx'
import {
  type Editor,
  RecordPage,
  type Resource,
  ResourceScreen,
} from '../../records/resource-screen.tsx'
import { senderHref } from '../../records/sender-domain.ts'
import { DnsRecord } from '../../records/senders.tsx'
import { deleteRecord, readRecord, saveRecord } from '../../records/stored.ts'
import { words } from '../../words/common.ts'
import { keyWords as text } from '../../words/dkim-keys.ts'
import { type DkimKey, KeyState, stateOf } from './key-state.tsx'

type Draft = ReturnType<typeof draftOf>

const draftOf = (key: DkimKey | undefined) => ({
  domain: key?.domain ?? new URLSearchParams(location.search).get('domain') ?? '',
  brand: brandDraft(key),
  isImport: false,
  algorithm: key?.algorithm ?? 'rsa',
  selector: key?.selector ?? '',
  privateKey: '',
  isPublished: key?.isPublished ?? true,
})

function newKeyOf({ domain, brand, isImport, algorithm, selector, privateKey }: Draft) {
  return {
    domain: domain.trim(),
    ...brandInput(brand),
    ...(isImport ? { privateKey } : { algorithm }),
    ...(selector.trim() === '' ? {} : { selector: selector.trim() }),
  }
}

const keys: Resource<Draft, DkimKey> = {
  path: '/senders/keys',
  area: 'multipleTransports',
  texts: text,
  draftOf,
  read: (id) => readRecord('dkimKey', id),
  write(id, draft, { etag, changed }) {
    const { brand, isPublished } = draft
    const publish = changed.includes('isPublished') ? { isPublished } : {}
    const body = id === undefined ? newKeyOf(draft) : { ...brandInput(brand), ...publish }
    return saveRecord('dkimKey', { id, etag, body })
  },
  nameOf: ({ domain }) => domain,
  deletion: { text: text.deleteText, remove: (id) => deleteRecord('dkimKey', id) },
}

export default function DkimKeyScreen() {
  return <ResourceScreen resource={keys} content={KeyPage} />
}

function KeyPage(editor: Editor<Draft, DkimKey>) {
  const { id, record, form } = editor
  const live = useAnswer(
    id === undefined ? undefined : '/api/dkimKeys/{id}',
    { path: { id: id ?? 0 } },
    { refreshMs: 10_000, keys: [record] },
  )
  const key = live.data?.dkimKey ?? record
  if (key === undefined)
    return (
      <RecordPage
        editor={editor}
        side={<Steps title={text.about.title} steps={text.about.points} />}
        save={<FormActions form={form} label={text.create} />}
      >
        <NewKeyFields form={form} />
      </RecordPage>
    )
  const { tone, meaning } = stateOf(key)
  return (
    <RecordPage
      editor={editor}
      badge={<KeyState dkimKey={key} />}
      notices={
        <Notice tone={tone}>
          <p>{meaning}</p>
          {key.problem !== null && <p class="small">{key.problem}</p>}
        </Notice>
      }
      main={<Publication dkimKey={key} onChecked={live.reload} />}
      side={<State dkimKey={key} />}
    >
      {editor.isEditing ? (
        <>
          <BrandField {...field(form, 'brand')} none={text.noBrand} />
          {can('multipleTransports:publish') && <CheckField {...field(form, 'isPublished')} />}
        </>
      ) : (
        <Facts
          facts={[
            [text.labels.brand, key.brand === undefined ? text.noBrand : brandName(key.brand)],
            [text.labels.selector, <code key="selector">{key.selector}</code>],
            [text.labels.algorithm, text.algorithmNames[key.algorithm]],
          ]}
        />
      )}
    </RecordPage>
  )
}

function NewKeyFields({ form }: { form: Form<Draft> }) {
  return (
    <>
      <TextField {...field(form, 'domain')} required autocomplete="off" inputMode="url" />
      <BrandField {...field(form, 'brand')} none={text.noBrand} />
      <CheckField {...field(form, 'isImport')} />
      {form.draft.isImport ? (
        <TextArea {...field(form, 'privateKey')} isMono rows={8} />
      ) : (
        <SelectField {...field(form, 'algorithm')} options={choicesOf(text.algorithms)} />
      )}
      <TextField {...field(form, 'selector')} autocomplete="off" isMono />
    </>
  )
}

function Publication({ dkimKey, onChecked }: { dkimKey: DkimKey; onChecked: () => void }) {
  const { id, domain, brand, record, isActive, isPublished } = dkimKey
  const check = async () => {
    await ask('POST', '/api/dkimKeys/{id}/check', { path: { id } })
    showToast(text.checkedNow)
    onChecked()
  }
  return (
    <>
      <Card
        title={text.record}
        tools={
          can('multipleTransports:edit') && (
            <ActionButton kind="primary" action={check}>
              {text.checkNow}
            </ActionButton>
          )
        }
      >
        <p class="quiet small">{isActive ? text.published : text.recordHelp}</p>
        <DnsRecord record={record} />
        <details>
          <summary>{text.zone}</summary>
          <CopyText text={record.zone} label={text.zone} />
        </details>
      </Card>
      {isPublished && (
        <Steps title={text.replace.title} steps={text.replace.steps}>
          {can('multipleTransports:create') && (
            <p>
              <ButtonLink href={withQuery('/senders/keys/new', { domain, brand })}>
                {text.replace.action}
              </ButtonLink>
            </p>
          )}
        </Steps>
      )}
    </>
  )
}

function Steps({
  title,
  steps,
  children,
}: {
  title: string
  steps: readonly string[]
  children?: ComponentChildren
}) {
  return (
    <Card title={title}>
      <ol class="lines">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {children}
    </Card>
  )
}

function State({ dkimKey: { domain, dateAdded, dateChecked, dateActive } }: { dkimKey: DkimKey }) {
  const time = (iso: string | null) => <Time iso={iso} none={text.notYet} />
  return (
    <Card title={words.state}>
      <Facts
        facts={[
          [text.facts.added, time(dateAdded)],
          [text.facts.checked, time(dateChecked)],
          [text.facts.active, time(dateActive)],
        ]}
      />
      <p>
        <a href={senderHref(domain)}>{text.sender}</a>
      </p>
    </Card>
  )
}
