import { type Fact, Facts } from '../../design/facts.tsx'
import { PublishedBadge } from '../../design/feedback.tsx'
import { CheckField, TextField } from '../../design/field.tsx'
import { Card } from '../../design/page.tsx'
import { Picker } from '../../design/picker.tsx'
import { Time } from '../../design/time.tsx'
import { TokenField } from '../../design/token-field.tsx'
import { withQuery } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import { findUsers } from '../../records/find.ts'
import {
  type Editor,
  RecordPage,
  type Resource,
  ResourceScreen,
} from '../../records/resource-screen.tsx'
import { readRecord } from '../../records/stored.ts'
import { words } from '../../words/common.ts'
import { contactWords as text } from '../../words/contacts.ts'
import {
  type Contact,
  type Draft,
  draftOf,
  fieldsOf,
  labelOf,
  type TextField as TextFieldName,
  textOf,
  writeContact,
} from './draft.ts'
import { Suppressed, useSuppressions } from './suppressed.tsx'
import { Timeline } from './timeline.tsx'

const contacts: Resource<Draft, Contact> = {
  path: '/contacts',
  area: 'contact',
  texts: text,
  read: (id) => readRecord('contact', id),
  draftOf,
  write: writeContact,
  nameOf: labelOf,
  deletion: { kind: 'contacts', text: text.deleteText },
}

/** One contact: what was sent to it, its state, and its fields; or a new one. */
export default function ContactScreen() {
  return <ResourceScreen resource={contacts} content={ContactPage} />
}

function ContactPage(editor: Editor<Draft, Contact>) {
  const { id, record, form } = editor
  const address = record === undefined ? '' : textOf(record, 'email')
  const suppressed = useSuppressions(address)
  return (
    <RecordPage
      editor={editor}
      badge={record && <PublishedBadge isPublished={record.isPublished} />}
      notices={<Suppressed {...suppressed} />}
      main={
        record &&
        address !== '' && (
          <Timeline contact={record} address={address} suppressions={suppressed.suppressions} />
        )
      }
      side={record === undefined ? <p class="quiet">{text.newHelp}</p> : <State contact={record} />}
    >
      <TextField {...field(form, 'email')} />
      <Texts form={form} names={fieldsOf('personal')} />
      {(id === undefined || can('contact:publish')) && (
        <CheckField {...field(form, 'isPublished')} />
      )}
      <BrandField {...field(form, 'brand')} />
      <TokenField {...field(form, 'tags')} hrefOf={(tag) => withQuery('/contacts', { tag })} />
      <div class="columns">
        {can('user:view') && <Picker {...field(form, 'owner')} find={findUsers} />}
        <TextField {...field(form, 'points')} type="number" />
      </div>
      {(['reach', 'more', 'social'] as const).map((group) => (
        <details key={group} open={fieldsOf(group).some((name) => form.saved[name] !== '')}>
          <summary>{text.groups[group]}</summary>
          <Texts form={form} names={fieldsOf(group)} />
        </details>
      ))}
    </RecordPage>
  )
}

function Texts({ form, names }: { form: Form<Draft>; names: readonly TextFieldName[] }) {
  return (
    <div class="fields">
      {names.map((name) => (
        <TextField key={name} {...field(form, name)} />
      ))}
    </div>
  )
}

function State({ contact }: { contact: Contact }) {
  const { dateAdded, dateModified, modifiedByUser } = contact
  const facts: Fact[] = [
    [text.added, <Time key="added" iso={dateAdded} />],
    [words.changed, dateModified && <Time iso={dateModified} />],
    [text.changedBy, modifiedByUser],
  ]
  return (
    <Card title={words.state}>
      <Facts facts={facts} isShort />
    </Card>
  )
}
