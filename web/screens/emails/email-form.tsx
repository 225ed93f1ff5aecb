import { CheckField, TextArea, TextField } from '../../design/field.tsx'
import { FormActions, FormFault } from '../../design/form-fault.tsx'
import { can } from '../../lib/session.ts'
import type { Form } from '../../lib/use-form.ts'
import { emailWords } from '../../words/emails.ts'
import type { Draft } from './draft.ts'
import { HeadersField } from './headers-field.tsx'

const { fields, help } = emailWords

/** The form of an email. */
export function EmailForm({ form, isNew }: { form: Form<Draft>; isNew: boolean }) {
  const { draft, set, faultOf } = form
  return (
    <form class="card" onSubmit={form.submit}>
      <FormFault form={form} labels={fields} />
      <TextField
        label={fields.name}
        help={help.name}
        required
        value={draft.name}
        onValue={set('name')}
        fault={faultOf('name')}
      />
      <TextField
        label={fields.subject}
        help={help.subject}
        required
        value={draft.subject}
        onValue={set('subject')}
        fault={faultOf('subject')}
      />
      <div class="fields">
        <TextField
          label={fields.fromName}
          value={draft.fromName}
          onValue={set('fromName')}
          fault={faultOf('fromName')}
        />
        <TextField
          label={fields.fromAddress}
          help={help.fromAddress}
          value={draft.fromAddress}
          onValue={set('fromAddress')}
          fault={faultOf('fromAddress')}
        />
      </div>
      <TextField
        label={fields.replyToAddress}
        value={draft.replyToAddress}
        onValue={set('replyToAddress')}
        fault={faultOf('replyToAddress')}
      />
      <TextArea
        label={fields.customHtml}
        rows={12}
        isMono
        value={draft.customHtml}
        onValue={set('customHtml')}
        fault={faultOf('customHtml')}
      />
      <TextArea
        label={fields.plainText}
        help={help.plainText}
        rows={6}
        isMono
        value={draft.plainText}
        onValue={set('plainText')}
        fault={faultOf('plainText')}
      />
      <HeadersField headers={draft.headers} onHeaders={set('headers')} fault={faultOf('headers')} />
      <CheckField
        label={fields.isTwig}
        help={help.isTwig}
        value={draft.isTwig}
        onValue={set('isTwig')}
      />
      {(isNew || can('email:publish')) && (
        <CheckField
          label={fields.isPublished}
          help={help.isPublished}
          value={draft.isPublished}
          onValue={set('isPublished')}
        />
      )}
      <FormActions form={form} />
    </form>
  )
}
