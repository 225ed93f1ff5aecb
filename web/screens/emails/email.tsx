import { PublishedBadge } from '../../design/feedback.tsx'
import { CheckField, TextArea, TextField, WhileEditing } from '../../design/field.tsx'
import { RowsField } from '../../design/rows-field.tsx'
import { can } from '../../lib/session.ts'
import { type Form, field } from '../../lib/use-form.ts'
import { BrandField } from '../../records/brands.tsx'
import { type Editor, RecordPage, ResourceScreen } from '../../records/resource-screen.tsx'
import { domainOf } from '../../records/sender-domain.ts'
import { emailWords as text } from '../../words/emails.ts'
import { type Draft, type Email, emails } from './draft.ts'
import { EmailTrial } from './email-trial.tsx'
import { EmailUsage, SenderCard } from './email-usage.tsx'
import { HtmlField } from './html-field.tsx'

/** One email: change it or add a new one, see it as a contact gets it, send it. */
export default function EmailScreen() {
  return <ResourceScreen resource={emails} content={EmailPage} />
}

function EmailPage(editor: Editor<Draft, Email>) {
  const { id, form } = editor
  const domain = domainOf(form.saved.fromAddress)
  return (
    <RecordPage
      editor={editor}
      isSideWide
      badge={id !== undefined && <PublishedBadge isPublished={form.saved.isPublished} />}
      main={<EmailTrial id={id} form={form} />}
      side={
        <>
          {id !== undefined && <EmailUsage id={id} />}
          {domain !== undefined && can('multipleTransports:view') && (
            <SenderCard key={domain} domain={domain} />
          )}
        </>
      }
    >
      <TextField {...field(form, 'name')} required />
      <TextField {...field(form, 'subject')} required />
      <div class="fields">
        <TextField {...field(form, 'fromName')} />
        <TextField {...field(form, 'fromAddress')} />
      </div>
      <TextField {...field(form, 'replyToAddress')} />
      <BrandField {...field(form, 'brand')} />
      <HtmlField form={form} />
      <WhileEditing>
        <TextArea {...field(form, 'plainText')} isMono />
      </WhileEditing>
      <HeadersField form={form} />
      <CheckField {...field(form, 'isTwig')} />
      {(id === undefined || can('email:publish')) && <CheckField {...field(form, 'isPublished')} />}
    </RecordPage>
  )
}

/** The additional headers of an email, each with its name and value. */
function HeadersField({ form }: { form: Form<Draft> }) {
  return (
    <RowsField
      {...field(form, 'headers')}
      texts={text.header}
      empty={{ label: '', value: '' }}
      shown={({ label, value }) => `${label}: ${value}`}
    >
      {(header, place, change) =>
        (['label', 'value'] as const).map((name) => (
          <input
            key={name}
            class="input mono"
            aria-label={text.header[name](place)}
            value={header[name]}
            onInput={(event) => change({ [name]: event.currentTarget.value })}
          />
        ))
      }
    </RowsField>
  )
}
