"""Sends one message with Python's smtplib and email, as the JSON on standard input says."""

import base64
import json
import smtplib
import ssl
import sys
from email.message import EmailMessage
from email.policy import SMTP, SMTPUTF8

request = json.load(sys.stdin)
kind = request["kind"]

message = EmailMessage(policy=SMTPUTF8 if kind == "addresses" else SMTP)
message["From"] = request["from"]
message["To"] = ", ".join(request["to"])
message["Subject"] = "Grüße von smtplib"
message["X-EMAIL-ID"] = "77"
text = "Hello\n.\n..two dots\nFrom the start\n" + "ä" * 100 + "\n"
message.set_content(text, cte="8bit" if kind == "8bit" else "quoted-printable")
if kind == "html":
    message.add_alternative("<p>Grüße {x}</p>\n" * 50, subtype="html")
if kind == "attachments":
    message.add_attachment(bytes(range(256)) * 40, "application", "pdf", filename="räv.pdf")
    message.add_attachment("{twigtemplate=1}\n", filename="a.txt")
if kind == "large":
    message.add_attachment(bytes(range(256)) * 30_000, "application", "zip", filename="a.zip")

with smtplib.SMTP("127.0.0.1", request["port"]) as server:
    if request.get("authorityFile"):
        server.starttls(context=ssl.create_default_context(cafile=request["authorityFile"]))
    server.login(request["username"], request["password"])
    if request.get("raw"):
        server.sendmail(request["from"], request["to"], base64.b64decode(request["raw"]))
    else:
        server.send_message(message, request["from"], request["to"])
