"use strict";

// Takes the invitation from the address, where it stands after # so that no server logs it.
(() => {
  const form = document.getElementById("join");
  if (!form) return;
  let invitation = location.hash.slice(1);
  if (invitation) history.replaceState(null, "", location.pathname + location.search);
  try { invitation = decodeURIComponent(invitation); } catch { /* it is taken as it is */ }
  form.elements.invitation.value ||= invitation;
  if (!form.elements.invitation.value) return;
  document.getElementById("by-hand").hidden = true;
  form.elements.name.focus();
})();
