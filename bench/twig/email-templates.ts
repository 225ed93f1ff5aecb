/**
 * The templates of an email of 3 KB: a layout, an include in a loop, a nested loop, filters, autoescape.
 * Where twing forgets to escape, in blocks of a template that extends, an \`|e\` makes the outputs the same.
 */
export const emailTemplates: readonly (readonly [name: string, source: string])[] = [
  [
    'layout.html.twig',
    `<!DOCTYPE html>
<html lang="{{ locale|default('en') }}">
<head>
  <meta charset="utf-8">
  <title>{% block title %}{{ shop.name }}{% endblock %}</title>
</head>
<body style="margin:0;background:#f4f4f7;font-family:Helvetica,Arial,sans-serif">
  <table role="presentation" width="100%" cellpadding="0" cellspacing="0">
    <tr><td align="center" style="padding:24px">
      <table role="presentation" width="600" style="background:#ffffff;border-radius:6px">
        <tr><td style="padding:24px;border-bottom:1px solid #e8e8ee">
          <a href="{{ shop.url }}"><img src="{{ shop.logo }}" alt="{{ shop.name }}" height="32"></a>
        </td></tr>
        <tr><td style="padding:24px">{% block body %}{% endblock %}</td></tr>
        <tr><td style="padding:24px;color:#8a8a94;font-size:12px">
          {% block footer %}You receive this email since you ordered at {{ shop.name }}.
          <a href="{{ unsubscribe_url }}">Unsubscribe</a>{% endblock %}
        </td></tr>
      </table>
    </td></tr>
  </table>
</body>
</html>
`,
  ],
  [
    'item.html.twig',
    `<tr{% if loop.index is even %} style="background:#fafafc"{% endif %}>
  <td>{{ loop.index }}</td>
  <td><strong>{{ item.name|upper }}</strong>{% if item.note %}<br><em>{{ item.note }}</em>{% endif %}
    {% for option in item.options %}<span>{{ option.label }}: {{ option.value|default('-') }}</span>{{ not loop.last ? ', ' }}{% endfor %}
  </td>
  <td align="right">{{ item.quantity }} &times; {{ item.price|number_format(2) }}</td>
  <td align="right">{{ (item.quantity * item.price)|number_format(2) }}</td>
</tr>
`,
  ],
  [
    'order.html.twig',
    `{% extends 'layout.html.twig' %}
{% block title %}Your order {{ order.number }} - {{ parent() }}{% endblock %}
{% block body %}
  {% set total = 0 %}
  <h1>Thank you, {{ contact.firstname|capitalize|e }}{% if contact.lastname %} {{ contact.lastname|e }}{% endif %}!</h1>
  <p>Your order <b>#{{ order.number }}</b> of {{ order.tags|join(', ', ' and ')|e }} is on its way to:</p>
  <p>{{ order.address|trim|e|nl2br }}</p>
  <table width="100%">
  {% for item in order.items %}
    {% include 'item.html.twig' %}
    {% set total = total + item.quantity * item.price %}
  {% else %}
    <tr><td>Nothing ordered.</td></tr>
  {% endfor %}
    <tr><td colspan="3">Total</td><td align="right">{{ total|number_format(2, '.', ',') }} {{ order.currency }}</td></tr>
  </table>
  {% if order.coupon is defined and order.coupon %}
    <p>Coupon {{ order.coupon|e('html_attr') }} was applied.</p>
  {% elseif total > 100 %}
    <p>You are now a {{ total > 500 ? 'gold' : 'silver' }} customer.</p>
  {% endif %}
  <h2>What happens next</h2>
  <ol>
  {% for step in order.steps %}
    <li><b>{{ step.title|title|e }}</b> {{ step.date|date('D, j M Y') }}{% if step.done %} &#10003;{% endif %}
      <p style="color:#5a5a66">{{ step.text|e }}</p></li>
  {% endfor %}
  </ol>
  <p><a href="{{ shop.url }}/orders/{{ order.number|url_encode }}?email={{ contact.email|url_encode }}">Follow your order</a></p>
{% endblock %}
`,
  ],
]

/** The variables of the email. */
export const emailContext = {
  locale: 'en',
  shop: { name: 'Nuts & Bolts', url: 'https://shop.example', logo: 'https://shop.example/l.png' },
  unsubscribe_url: 'https://shop.example/unsubscribe?c=8d1f&s=2',
  contact: { firstname: 'ada', lastname: 'Lovelace', email: 'ada+o@example.org' },
  order: {
    number: 'A-2024/0815',
    currency: 'EUR',
    steps: [
      {
        title: 'order received',
        date: '2024-05-06',
        done: true,
        text: 'We have your order & your payment.',
      },
      {
        title: 'packed',
        date: '2024-05-07',
        done: true,
        text: 'Bolts are heavy: your parcel travels in a box of its own.',
      },
      {
        title: 'on its way',
        date: '2024-05-08',
        done: false,
        text: 'The carrier will write to you when the parcel is near.',
      },
    ],
    tags: ['screws', 'nuts', '<washers>'],
    address: ' 12 Long Acre\nLondon <WC2>\nUnited Kingdom ',
    items: [
      {
        name: 'Hex bolt',
        note: '',
        quantity: 20,
        price: 0.35,
        options: [
          { label: 'Size', value: 'M8' },
          { label: 'Length', value: '40 mm' },
        ],
      },
      {
        name: 'Lock nut & washer',
        note: 'Sold in "bags"',
        quantity: 3,
        price: 4.2,
        options: [
          { label: 'Size', value: 'M8' },
          { label: 'Coating', value: null },
        ],
      },
      { name: 'Impact wrench', note: 'Back-ordered', quantity: 1, price: 189.99, options: [] },
      {
        name: 'Tool box',
        note: '',
        quantity: 2,
        price: 49.5,
        options: [{ label: 'Colour', value: 'Red & black' }],
      },
    ],
  },
}
