import { patchOf } from "../../../support/identity/scim";
import { changeGroup, filtered, groupSchema, type VendorCase } from "./vendor-case";

// Requests about groups of the provisioning service of Microsoft Entra ID without the flag `aadOptscim062020`.

export const entraGroups: VendorCase[] = [
  {
    name: "creates a group with an unknown schema and without members",
    steps: [
      {
        method: "POST",
        path: "/Groups",
        body: {
          schemas: [groupSchema, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
          externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
          displayName: "Editors",
          meta: { resourceType: "Group" },
        },
        status: 201,
        as: "editors",
        response: {
          schemas: [groupSchema],
          displayName: "Editors",
          externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
          members: [],
        },
      },
      {
        method: "GET",
        path: "/Groups/{editors}?excludedAttributes=members",
        status: 200,
        response: { displayName: "Editors" },
        without: ["members"],
      },
    ],
    expectedGroups: { Editors: [] },
  },
  {
    name: "finds a group by name, and a group that contains a user",
    users: ["mina", "leo"],
    groups: { Editors: ["mina"] },
    steps: [
      {
        method: "GET",
        path: filtered("/Groups?excludedAttributes=members", 'displayName eq "editors"'),
        status: 200,
        response: { totalResults: 1, Resources: [{ id: "{editors}" }] },
      },
      {
        method: "GET",
        path: filtered("/Groups?attributes=id", 'id eq "{editors}" and members eq "{mina}"'),
        status: 200,
        response: { totalResults: 1, Resources: [{ id: "{editors}" }] },
      },
      {
        method: "GET",
        path: filtered("/Groups", 'id eq "{editors}" and members.value eq "{leo}"'),
        status: 200,
        response: { totalResults: 0 },
      },
    ],
  },
  {
    name: "renames a group and keeps its members",
    users: ["mina"],
    groups: { Editors: ["mina"] },
    steps: [changeGroup({ op: "Replace", path: "displayName", value: "Writers" })],
    expectedGroups: { Writers: ["mina"] },
  },
  {
    name: "adds members with $ref null",
    users: ["mina", "leo"],
    groups: { Editors: ["mina"] },
    steps: [changeGroup({ op: "Add", path: "members", value: [{ $ref: null, value: "{leo}" }] })],
    expectedGroups: { Editors: ["leo", "mina"] },
  },
  {
    name: "removes one member by a list of values and keeps the others",
    users: ["mina", "leo", "zoe"],
    groups: { Editors: ["mina", "leo", "zoe"] },
    steps: [changeGroup({ op: "Remove", path: "members", value: [{ $ref: null, value: "{leo}" }] })],
    expectedGroups: { Editors: ["mina", "zoe"] },
  },
  {
    name: "removes a member who is not in the group, or an empty list, and changes nothing",
    users: ["mina", "leo"],
    groups: { Editors: ["mina"] },
    steps: [
      changeGroup({ op: "Remove", path: "members", value: [{ $ref: null, value: "{leo}" }] }),
      changeGroup({ op: "Remove", path: "members", value: [] }),
    ],
    expectedGroups: { Editors: ["mina"] },
  },
  {
    name: "moves a member from one group to another and deletes the old group",
    users: ["mina"],
    groups: { Editors: ["mina"], Writers: [] },
    steps: [
      {
        method: "PATCH",
        path: "/Groups/{writers}",
        body: patchOf({ op: "Add", path: "members", value: [{ $ref: null, value: "{mina}" }] }),
        status: 204,
      },
      { method: "DELETE", path: "/Groups/{editors}", status: 204 },
      { method: "GET", path: "/Groups/{editors}", status: 404 },
      { method: "GET", path: "/Users/{mina}", status: 200, response: { groups: [{ display: "Writers" }] } },
    ],
    expected: { mina: { membership: "allowed scim" } },
    expectedGroups: { Writers: ["mina"] },
  },
];
