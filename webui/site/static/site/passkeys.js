// The browser's part of a passkey: making one, and showing one. A form with `data-passkey` asks for it when it is sent.

import { all, maybe, one } from "./dom.js";

/** @typedef {{ publicKey: any }} Options what the server asks for, with bytes as base64url */

/** @param {string} text base64url */
function bytes(text) {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
}

/** @param {ArrayBuffer | null} buffer */
function base64url(buffer) {
  if (!buffer) return null;
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** @param {{ id: string }[]} [credentials] */
function withBytes(credentials = []) {
  return credentials.map((credential) => ({ ...credential, id: bytes(credential.id) }));
}

/**
 * A new passkey: it names its account by itself, and the device asks for a finger, a face or a PIN.
 * @param {Options} options
 */
function make({ publicKey }) {
  return navigator.credentials.create({ publicKey: {
    ...publicKey,
    challenge: bytes(publicKey.challenge),
    user: { ...publicKey.user, id: bytes(publicKey.user.id) },
    excludeCredentials: withBytes(publicKey.excludeCredentials),
    authenticatorSelection: {
      ...publicKey.authenticatorSelection, residentKey: "required", requireResidentKey: true, userVerification: "required",
    },
  } });
}

/** @param {Options} options */
function show({ publicKey }) {
  return navigator.credentials.get({ publicKey: {
    ...publicKey, challenge: bytes(publicKey.challenge), allowCredentials: withBytes(publicKey.allowCredentials),
  } });
}

/** @param {Credential | null} credential */
function asDocument(credential) {
  if (!(credential instanceof PublicKeyCredential)) throw new TypeError("no passkey");
  const { response } = credential;
  return {
    id: credential.id,
    rawId: base64url(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: {
      clientDataJSON: base64url(response.clientDataJSON),
      ...(response instanceof AuthenticatorAttestationResponse && {
        attestationObject: base64url(response.attestationObject), transports: response.getTransports(),
      }),
      ...(response instanceof AuthenticatorAssertionResponse && {
        authenticatorData: base64url(response.authenticatorData),
        signature: base64url(response.signature),
        userHandle: base64url(response.userHandle),
      }),
    },
  };
}

/**
 * What the server asks for: it stands in the form, or is fetched when it is needed, since it lasts for one try.
 * @param {HTMLFormElement} form
 * @returns {Promise<Options>}
 */
async function optionsOf(form) {
  if (form.dataset.options) return JSON.parse(form.dataset.options);
  const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
  return (await answer.json()).request_options;
}

if (window.PublicKeyCredential) {
  for (const form of all(document, "form[data-passkey]", HTMLFormElement)) {
    form.hidden = false;
    const failed = maybe(form, "[data-failed]", HTMLElement);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (failed) failed.hidden = true;
      try {
        const act = form.dataset.passkey === "make" ? make : show;
        const credential = asDocument(await act(await optionsOf(form)));
        one(form, "input[name=credential]", HTMLInputElement).value = JSON.stringify(credential);
        form.submit();
      } catch {
        // The visitor gave up, the device has no passkey of this site, or the page was not loaded by HTTPS.
        if (failed) failed.hidden = false;
      }
    });
  }
}
